public import CalotypeServer
import HTTPTypes
public import Hummingbird

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
        let responder = ServiceResponder(service, below: path)
        for method in ServiceResponder.methods {
            on(RouterPath("\(responder.prefix)/**"), method: method) { request, _ in
                let answer = try await responder.response(to: request.head, target: request.uri.path)
                let response = Response(
                    status: answer.head.status,
                    headers: answer.head.headerFields,
                    body: ResponseBody(byteBuffer: answer.body)
                )
                return method == .head ? response.createHeadResponse() : response
            }
        }
        return self
    }
}
