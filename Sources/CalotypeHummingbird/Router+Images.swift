public import CalotypeServer
import HTTPTypes
public import Hummingbird
import NIOCore

extension Router {
    /// Adds the routes of an image service to an application: `GET`, `HEAD` and `OPTIONS` of all paths below
    /// a prefix without a route of their own, and `health`, which responds while the process is alive.
    ///
    /// The application's server limits headers, connections and slow clients.
    ///
    /// The path must arrive as in the request line: a router or proxy in front that decodes or merges
    /// segments breaks signatures.
    ///
    /// - Parameters:
    ///   - service: The service.
    ///   - path: The path prefix, such as `/images`; all paths of the application unless given.
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
