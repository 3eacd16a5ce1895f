public import CalotypeServer
import HTTPTypes
import NIOCore

/// Answers requests of a listener: images, and `/health` while the process is alive.
public struct ServiceResponder: Sendable {
    private let service: ImageService
    private let prefix: String
    private let observer: (any ServiceObserver)?

    /// Creates a responder.
    ///
    /// - Parameters:
    ///   - service: The service.
    ///   - path: The path prefix, such as `/images`; none unless given.
    ///   - observer: Receives records of requests refused before they reach the service; none unless given.
    public init(_ service: ImageService, below path: String = "", observer: (any ServiceObserver)? = nil) {
        let parts = path.split(separator: "/")
        prefix = parts.isEmpty ? "" : "/" + parts.joined(separator: "/")
        (self.service, self.observer) = (service, observer)
    }

    private static let methods: HTTPFields = [.allow: "GET, HEAD, OPTIONS"]

    /// Returns the response to a request.
    ///
    /// - Throws: `CancellationError` if the client has disconnected.
    public func answer(_ request: ListenerRequest) async throws -> ListenerAnswer {
        let target = request.target
        switch request.head.method {
        case .get, .head: break
        case .options:
            return ListenerAnswer(head: HTTPResponse(status: .noContent, headerFields: Self.methods))
        default:
            return refusal(
                .methodNotAllowed,
                "method",
                "Method not allowed; use GET, HEAD or OPTIONS",
                request
            )
        }
        guard target.hasPrefix("\(prefix)/") else {
            return refusal(.notFound, "malformedPath", "Not found", request)
        }
        let path = prefix.isEmpty ? target : String(target.dropFirst(prefix.count))
        guard path != "/health", !path.hasPrefix("/health?") else { return .line(.ok, "ok") }
        var asked = ServiceRequest(request.head, target: path, id: request.id)
        asked.client = request.client
        let answer = try await service.answer(to: asked)
        return ListenerAnswer(head: answer.head, body: answer.buffer)
    }

    private func refusal(
        _ status: HTTPResponse.Status,
        _ code: String,
        _ text: String,
        _ request: ListenerRequest
    ) -> ListenerAnswer {
        var record = ServiceRecord(requestID: request.id, status: status.code, duration: .zero)
        record.errorCode = code
        record.method = request.head.method.rawValue
        (record.target, record.client) = (request.target, request.client)
        observer?.answered(record)
        let fields = status == .methodNotAllowed ? Self.methods : [:]
        return .problem(status, code, text, accept: request.head.headerFields[.accept], fields)
    }
}
