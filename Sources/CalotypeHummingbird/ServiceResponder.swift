package import CalotypeServer
import HTTPTypes
import NIOCore

/// Answers requests of a listener or a router: images, and `/health` while the process is alive.
package struct ServiceResponder: Sendable {
    static let methods: [HTTPRequest.Method] = [.get, .head, .options]
    private static let allowed: HTTPFields = [.allow: methods.map(\.rawValue).joined(separator: ", ")]

    /// The path prefix without its final `/`; empty for none.
    let prefix: String
    private let service: ImageService
    private let observer: (any ServiceObserver)?

    /// Creates a responder.
    ///
    /// - Parameters:
    ///   - service: The service.
    ///   - path: The path prefix, such as `/images`; none unless given.
    ///   - observer: Receives records of requests refused before they reach the service; none unless given.
    package init(_ service: ImageService, below path: String = "", observer: (any ServiceObserver)? = nil) {
        let parts = path.split(separator: "/")
        prefix = parts.isEmpty ? "" : "/" + parts.joined(separator: "/")
        (self.service, self.observer) = (service, observer)
    }

    /// Returns the response to a request of a listener.
    ///
    /// - Throws: `CancellationError` if the client has disconnected.
    package func response(to request: ListenerRequest) async throws -> ListenerResponse {
        try await response(to: request.head, target: request.target, id: request.id, client: request.client)
    }

    /// Returns the response to a request.
    ///
    /// - Parameters:
    ///   - head: The request line and fields.
    ///   - target: The path as received, with its query, if any.
    ///   - id: The request ID for the log.
    ///   - client: The address of the client for the log.
    /// - Returns: The response.
    /// - Throws: `CancellationError` if the client has disconnected.
    func response(
        to head: HTTPRequest,
        target: String,
        id: String? = nil,
        client: String? = nil
    ) async throws -> ListenerResponse {
        var request = ServiceRequest(head, target: target, id: id)
        request.client = client
        guard Self.methods.contains(head.method) else {
            return refusal(
                .methodNotAllowed,
                "method",
                "Method not allowed; use GET, HEAD or OPTIONS",
                request
            )
        }
        guard head.method != .options else {
            return ListenerResponse(head: HTTPResponse(status: .noContent, headerFields: Self.allowed))
        }
        guard target.hasPrefix("\(prefix)/") else {
            return refusal(.notFound, "malformedPath", "Not found", request)
        }
        if !prefix.isEmpty { request.target = String(target.dropFirst(prefix.count)) }
        guard request.target != "/health", !request.target.hasPrefix("/health?") else {
            return .line(.ok, "ok")
        }
        let answer = try await service.response(to: request)
        return ListenerResponse(head: answer.head, body: answer.buffer)
    }

    private func refusal(
        _ status: HTTPResponse.Status,
        _ code: String,
        _ text: String,
        _ request: ServiceRequest
    ) -> ListenerResponse {
        var record = ServiceRecord(requestID: request.requestID, status: status.code, duration: .zero)
        record.errorCode = code
        (record.method, record.target, record.client) = (request.method, request.target, request.client)
        observer?.didRespond(record)
        let fields = status == .methodNotAllowed ? Self.allowed : [:]
        return .problem(status, code, text, accept: request.accept, fields)
    }
}
