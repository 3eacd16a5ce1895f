import CalotypeLoading
package import CalotypeServer
package import HTTPTypes
import NIOCore

/// Answers requests of a listener or a router: images, and `/health` while the process is alive.
package struct ServiceResponder: Sendable {
    static let methods: [HTTPRequest.Method] = [.get, .head, .options]
    private static let origin = HTTPField.Name("Origin")
    private static let requestedMethod = HTTPField.Name("Access-Control-Request-Method")

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
        if let upload = request.upload { return try await response(to: upload, of: request.head) }
        return try await response(
            to: request.head,
            target: request.target,
            id: request.id,
            client: request.client
        )
    }

    /// Returns the response to an upload whose body is complete.
    ///
    /// - Throws: `CancellationError` if the client has disconnected.
    func response(to upload: Upload, of head: HTTPRequest) async throws -> ListenerResponse {
        let answer = try await service.response(to: upload)
        return shared(ListenerResponse(answer), with: head)
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
        return shared(try await ownResponse(to: request, head), with: head)
    }

    /// Returns the response, without the fields for pages of other origins.
    private func ownResponse(to request: ServiceRequest, _ head: HTTPRequest) async throws -> ListenerResponse
    {
        var (request, target) = (request, request.target)
        guard Self.methods.contains(head.method) else {
            return refusal(
                .methodNotAllowed,
                "method",
                "Method not allowed; use GET, HEAD or OPTIONS",
                request
            )
        }
        guard head.method != .options else {
            let fields: HTTPFields = [.allow: allowedMethods]
            return ListenerResponse(head: HTTPResponse(status: .noContent, headerFields: fields))
        }
        guard target.hasPrefix("\(prefix)/") else {
            return refusal(.notFound, "malformedPath", "Not found", request)
        }
        if !prefix.isEmpty { request.target = String(target.dropFirst(prefix.count)) }
        guard request.target != "/health", !request.target.hasPrefix("/health?") else {
            return .line(.ok, "ok")
        }
        request.hints = service.hints { name in HTTPField.Name(name).flatMap { head.headerFields[$0] } }
        let answer = try await service.response(to: request)
        return ListenerResponse(answer)
    }

    /// The allowed methods, as in `Allow`.
    private var allowedMethods: String {
        let others: [HTTPRequest.Method] = service.acceptsUploads ? [.post] : []
        return (Self.methods + others).map(\.rawValue).joined(separator: ", ")
    }

    // MARK: Uploads

    /// Decides about the body of a request: an upload is verified before its body is read.
    package func intake(_ request: ListenerRequest) -> BodyIntake {
        intake(request.head, target: request.target, id: request.id, client: request.client)
    }

    /// Decides about the body of a request; the parameters are those of
    /// ``response(to:target:id:client:)``.
    func intake(
        _ head: HTTPRequest,
        target: String,
        id: String? = nil,
        client: String? = nil
    ) -> BodyIntake {
        guard head.method == .post, service.acceptsUploads, target.hasPrefix("\(prefix)/") else {
            return .standard
        }
        var request = ServiceRequest(head, target: String(target.dropFirst(prefix.count)), id: id)
        request.client = client
        let failure: @Sendable (any Error) -> ListenerResponse = { [self, request] error in
            let answer = service.response(toFailure: error, ofUpload: request)
            return shared(ListenerResponse(answer), with: head)
        }
        do throws(RequestError) {
            let upload = try service.upload(
                request,
                authorization: head.headerFields[.authorization],
                byteCount: head.headerFields[.contentLength].flatMap { Int($0) }
            )
            return .upload(upload, failure: failure)
        } catch {
            return .refused(failure(error))
        }
    }

    // MARK: Pages of other origins

    /// Returns the fields that let pages of other origins read a response; none without a policy.
    ///
    /// - Parameter head: The request; `nil` if its header was not readable.
    /// - Returns: The fields, with `Vary` if they depend on the request.
    package func crossOriginFields(for head: HTTPRequest?) -> HTTPFields {
        guard let policy = service.crossOrigin else { return [:] }
        let value = { (name: HTTPField.Name?) in name.flatMap { head?.headerFields[$0] } }
        let isPreflight = head?.method == .options && value(Self.requestedMethod) != nil
        let methods = isPreflight ? allowedMethods : nil
        var fields = HTTPFields()
        for field in policy.fields(for: value(Self.origin), methods: methods) {
            guard let name = HTTPField.Name(field.name) else { continue }
            fields.append(HTTPField(name: name, value: field.value))
        }
        if policy.varies { fields[.vary] = "Origin" }
        return fields
    }

    private func shared(_ answer: ListenerResponse, with head: HTTPRequest) -> ListenerResponse {
        guard service.crossOrigin != nil else { return answer }
        var (answer, fields) = (answer, crossOriginFields(for: head))
        if let vary = answer.head.headerFields[.vary], let own = fields[.vary] {
            fields[.vary] = "\(vary), \(own)"
            answer.head.headerFields[.vary] = nil
        }
        answer.head.headerFields.append(contentsOf: fields)
        return answer
    }

    // MARK: Refusals

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
        let fields: HTTPFields = status == .methodNotAllowed ? [.allow: allowedMethods] : [:]
        return .problem(status, code, text, accept: request.accept, fields)
    }
}
