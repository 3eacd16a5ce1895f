public import CalotypeServer
import HTTPTypes
public import Hummingbird
import NIOCore

extension Router {
    /// Adds the routes of an image service to an application's own: `GET`, `HEAD` and `OPTIONS` of everything
    /// below a path that no other route is for, and `health`, which answers while the process lives.
    ///
    /// Limits on heads, on connections and on slow clients are those of the application's server.
    ///
    /// The path is taken as the request line has it: a router before this one, or a proxy, that decodes or
    /// joins parts of it breaks signatures.
    ///
    /// - Parameters:
    ///   - service: What answers.
    ///   - path: Below which it answers, as `/images`; all of the application's paths unless given.
    /// - Returns: The router.
    @discardableResult
    public func addImages(of service: ImageService, below path: String = "") -> Self {
        let place = "/" + path.split(separator: "/").joined(separator: "/")
        let prefix = place == "/" ? "" : place
        get("\(prefix)/health") { _, _ in
            Response(
                status: .ok,
                headers: [.cacheControl: "no-store", .contentType: "text/plain"],
                body: .ok
            )
        }
        let everything = RouterPath("\(prefix)/**")
        get(everything) { request, _ in try await service.response(to: request, below: prefix) }
        on(everything, method: .head) { request, _ in
            try await service.response(to: request, below: prefix).createHeadResponse()
        }
        on(everything, method: .options) { _, _ in
            Response(status: .noContent, headers: [.allow: "GET, HEAD, OPTIONS"])
        }
        return self
    }
}

extension ResponseBody {
    fileprivate static var ok: ResponseBody { ResponseBody(byteBuffer: ByteBuffer(string: "ok\n")) }
}

extension ImageService {
    /// The answer to a request of HTTP.
    fileprivate func response(to request: Request, below prefix: String) async throws -> Response {
        let target = String(request.uri.path.dropFirst(prefix.utf8.count))
        let answer = try await answer(to: ServiceRequest(request.head, target: target))
        let head = answer.head
        guard answer.status != 304 else { return Response(status: head.status, headers: head.headerFields) }
        return Response(
            status: head.status,
            headers: head.headerFields,
            body: ResponseBody(byteBuffer: answer.buffer)
        )
    }
}
