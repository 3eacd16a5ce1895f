import CalotypeServer
import HTTPTypes
import NIOCore
import NIOHTTP1
import NIOHTTPTypes
import Tracing

/// The sequence of requests on one connection.
struct Exchange {
    var parts: NIOAsyncChannelInboundStream<HTTPRequestPart>.AsyncIterator
    let outbound: NIOAsyncChannelOutboundWriter<HTTPResponsePart>
    let channel: ListenerChannel
    /// The remote address of the connection.
    let client: String?

    private static let requestID = HTTPField.Name("X-Request-ID")
    private static let traceParent = HTTPField.Name("traceparent")

    /// Answers requests until either side ends the connection.
    ///
    /// - Throws: The error that breaks the connection.
    @concurrent
    mutating func run() async throws {
        do {
            while let part = try await parts.next() {
                guard case .head(let head) = part else { return }
                guard try await answer(head) else { return }
            }
        } catch let error as HTTPParserError {
            let isTooLong = error == .headerOverflow
            let refusal = ListenerResponse.line(
                isTooLong ? .requestHeaderFieldsTooLarge : .badRequest,
                isTooLong ? "Request header too long" : "Malformed HTTP request"
            )
            try await refuse(refusal, nil, nil)
        } catch HeaderRules.Mistake.host(let accept) {
            let text = "Invalid Host field; send one name or address, with an optional port"
            try await refuse(Self.problem(.badRequest, text, accept: accept), nil, nil)
        }
    }

    /// Sends a response of the listener itself, and ends the connection.
    private func refuse(_ refusal: ListenerResponse, _ head: HTTPRequest?, _ id: String?) async throws {
        channel.refusalHandler(refusal.head.status.code, id)
        var refusal = refusal
        refusal.head.headerFields.append(contentsOf: channel.refusalFields(head))
        try await write(refusal, to: head, id: id, ends: true)
    }

    /// Answers one request.
    ///
    /// - Returns: Whether another request may follow.
    @concurrent
    private mutating func answer(_ head: HTTPRequest) async throws -> Bool {
        let fields = head.headerFields
        let id = channel.names.name(Self.requestID.flatMap { fields[$0] })
        if let refusal = Self.refusal(of: head, channel.limits) {
            try await refuse(refusal, head, id)
            return false
        }
        var request = ListenerRequest(head: head, id: id)
        request.client = client
        switch channel.intake(request) {
        case .standard:
            guard let body = try await body() else {
                let text = "Request body too long"
                let refusal = Self.problem(.contentTooLarge, text, accept: fields[.accept])
                try await refuse(refusal, head, id)
                return false
            }
            request.body = body
        case .upload(let upload, let failure):
            if let refusal = try await receive(upload, of: head, failure) {
                try await write(refusal, to: head, id: id, ends: true)
                return false
            }
            request.upload = upload
        case .refused(let refusal):
            try await write(refusal, to: head, id: id, ends: true)
            return false
        }
        let answer = try await response(to: request)
        let isLast = fields[.connection].map { Self.names("close", in: $0) } ?? false
        // Other clients wait for the connection, or another process answers from now on.
        let ends = isLast || channel.connections.isFull || channel.ending.isUnderWay
        try await write(answer, to: head, id: id, ends: ends)
        return !ends
    }

    /// Returns the response, in the trace that the request names, if any.
    private func response(to request: ListenerRequest) async throws -> ListenerResponse {
        guard let name = Self.traceParent, request.head.headerFields.contains(name) else {
            return try await channel.answer(request)
        }
        var context = ServiceContext.topLevel
        InstrumentationSystem.instrument.extract(
            request.head.headerFields,
            into: &context,
            using: FieldExtractor()
        )
        return try await ServiceContext.withValue(context) { try await channel.answer(request) }
    }

    /// Reads the body of the current request; `nil` if it is too long.
    @concurrent
    private mutating func body() async throws -> ByteBuffer? {
        var (body, byteCount) = (ByteBuffer(), 0)
        while let part = try await parts.next() {
            switch part {
            case .head: return nil
            case .body(let bytes):
                byteCount += bytes.readableBytes
                guard byteCount <= channel.limits.maxBodyByteCount else { return nil }
                if channel.limits.collectsBodies { body.writeImmutableBuffer(bytes) }
            case .end: return body
            }
        }
        throw CancellationError()
    }

    /// Passes the body of the current request on as it arrives.
    ///
    /// - Returns: The response if that fails; the rest of the body is then not read.
    @concurrent
    private mutating func receive(
        _ upload: Upload,
        of head: HTTPRequest,
        _ failure: @Sendable (any Error) -> ListenerResponse
    ) async throws -> ListenerResponse? {
        if head.headerFields[.expect]?.lowercased() == "100-continue" {
            try await outbound.write(.head(HTTPResponse(status: .continue)))
        }
        while let part = try await parts.next() {
            switch part {
            case .head: throw CancellationError()
            case .body(let bytes):
                do {
                    try await upload.receive(bytes.readableBytesView)
                } catch let error as CancellationError {
                    throw error
                } catch {
                    return failure(error)
                }
            case .end: return nil
            }
        }
        throw CancellationError()
    }

    private func write(
        _ answer: ListenerResponse,
        to request: HTTPRequest?,
        id: String?,
        ends: Bool
    ) async throws {
        var head = answer.head
        // These fields cannot be present yet, so no search is needed.
        head.headerFields.append(HTTPField(name: .date, value: channel.date.value))
        if let id, let name = Self.requestID { head.headerFields.append(HTTPField(name: name, value: id)) }
        if ends { head.headerFields.append(HTTPField(name: .connection, value: "close")) }
        let hasBody = head.status.code != 304 && head.status.code != 204
        if hasBody {
            let length = HTTPField(name: .contentLength, value: String(answer.bodyByteCount))
            head.headerFields.append(length)
        }
        guard hasBody, request?.method != .head, answer.bodyByteCount > 0 else {
            return try await outbound.write(contentsOf: [.head(head), .end(nil)])
        }
        guard let body = answer.longBody else {
            return try await outbound.write(contentsOf: [.head(head), .body(answer.body), .end(nil)])
        }
        var (parts, start) = ([HTTPResponsePart.head(head)], 0)
        while let slice = body.nextSlice(&start) {
            parts.append(.body(slice))
            if start == body.count { parts.append(.end(nil)) }
            // Waits until the channel is writable.
            try await outbound.write(contentsOf: parts)
            parts = []
        }
    }

    private static func refusal(of head: HTTPRequest, _ limits: ListenerLimits) -> ListenerResponse? {
        if (head.path ?? "").utf8.count > limits.maxTargetByteCount {
            return problem(.uriTooLong, "URL too long", accept: head.headerFields[.accept])
        }
        let byteCount = head.headerFields.reduce(0) {
            $0 + $1.name.rawName.utf8.count + $1.value.utf8.count + 4
        }
        if byteCount > limits.maxFieldByteCount {
            let text = "Request header fields too long"
            return problem(.requestHeaderFieldsTooLarge, text, accept: head.headerFields[.accept])
        }
        return nil
    }

    private static func problem(
        _ status: HTTPResponse.Status,
        _ title: String,
        accept: String?
    ) -> ListenerResponse {
        .problem(status, "malformedRequest", title, accept: accept)
    }

    /// Whether a comma-separated list contains a word, ignoring case.
    private static func names(_ word: String, in list: String) -> Bool {
        list.split(separator: ",").contains { part in
            part.drop { $0 == " " }.prefix { $0 != " " }.lowercased() == word
        }
    }
}

/// Reads request fields for `swift-distributed-tracing`.
struct FieldExtractor: Extractor {
    func extract(key: String, from fields: HTTPFields) -> String? {
        HTTPField.Name(key).flatMap { fields[$0] }
    }
}
