import CalotypeServer
public import HTTPTypes
public import NIOCore

/// A request that a listener has read whole.
public struct ListenerRequest: Sendable {
    /// Its line and fields.
    public var head: HTTPRequest
    /// Its body, which the listener has bounded; empty for most.
    public var body: ByteBuffer
    /// What the client calls it, where that is a name; else one that the listener has made.
    public var id: String
    /// The address that the connection comes from, which is a proxy's behind one; `nil` where there is none.
    public var client: String?

    /// Creates a request.
    public init(head: HTTPRequest, body: ByteBuffer = ByteBuffer(), id: String = "") {
        (self.head, self.body, self.id) = (head, body, id)
    }

    /// What the request line asks for, with its leading `/`: without the scheme and host of an absolute form.
    var target: String {
        let path = head.path ?? ""
        guard !path.hasPrefix("/"), let scheme = path.firstRange(of: "://") else { return path }
        return String(path[scheme.upperBound...].utf8.drop { $0 != UInt8(ascii: "/") }) ?? ""
    }
}

/// The answer to a ``ListenerRequest``.
public struct ListenerAnswer: Sendable {
    /// Its status and fields, without `Content-Length`, `Date` and what else every answer has.
    public var head: HTTPResponse
    /// Its body, which is not sent where the request was `HEAD`.
    public var body: ByteBuffer

    /// Creates an answer.
    public init(head: HTTPResponse, body: ByteBuffer = ByteBuffer()) {
        (self.head, self.body) = (head, body)
    }

    /// A line of text, which nobody keeps.
    static func line(
        _ status: HTTPResponse.Status,
        _ text: String,
        _ fields: HTTPFields = [:]
    ) -> ListenerAnswer {
        var fields = fields
        fields[.contentType] = "text/plain; charset=utf-8"
        fields[.cacheControl] = "no-store"
        fields[.xContentTypeOptions] = "nosniff"
        let body = ByteBuffer(string: text + "\n")
        return ListenerAnswer(head: HTTPResponse(status: status, headerFields: fields), body: body)
    }

    /// An error, which nobody keeps: a problem document (RFC 9457) where `Accept` takes JSON, else its title
    /// alone.
    static func problem(
        _ status: HTTPResponse.Status,
        _ code: String,
        _ title: String,
        accept: String?,
        _ fields: HTTPFields = [:]
    ) -> ListenerAnswer {
        var answer = line(status, title, fields)
        guard let accept, ProblemDocument.isTaken(by: AcceptedTypes(accept)) else { return answer }
        answer.head.headerFields[.contentType] = ProblemDocument.mediaType
        answer.body = ByteBuffer(bytes: ProblemDocument(status: status.code, code: code, title: title).json)
        return answer
    }
}
