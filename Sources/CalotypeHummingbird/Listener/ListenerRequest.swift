package import CalotypeServer
package import FoundationEssentials
package import HTTPTypes
package import NIOCore

package struct ListenerRequest: Sendable {
    package var head: HTTPRequest
    /// The body, within the listener's limit; usually empty.
    package var body: ByteBuffer
    /// The client's request ID if it is valid, else a generated one.
    package var id: String
    /// The remote address of the connection, which may be a proxy's; `nil` if unknown.
    package var client: String?
    /// The upload that has received the body; `nil` for other requests.
    package var upload: Upload?

    package init(head: HTTPRequest, body: ByteBuffer = ByteBuffer(), id: String = "") {
        (self.head, self.body, self.id) = (head, body, id)
    }

    /// The path and query, with the leading `/`; scheme and host of an absolute form are removed.
    var target: String {
        let path = head.path ?? ""
        guard !path.hasPrefix("/"), let scheme = path.firstRange(of: "://") else { return path }
        return String(path[scheme.upperBound...].utf8.drop { $0 != UInt8(ascii: "/") }) ?? ""
    }
}

package struct ListenerResponse: Sendable {
    /// The status and fields, without `Content-Length`, `Date` and others that the listener adds.
    package var head: HTTPResponse
    /// The body, which is not sent for `HEAD`.
    package var body: ByteBuffer
    /// A long body in place of ``body``: shared with the cache, and copied slice by slice when sent.
    package var longBody: Data?

    /// The maximum bytes of a slice, and of a body that is copied whole.
    static let sliceByteCount = 64 << 10

    package init(head: HTTPResponse, body: ByteBuffer = ByteBuffer()) {
        (self.head, self.body) = (head, body)
    }

    /// Creates the response of the service.
    init(_ answer: ServiceResponse) {
        self.init(head: answer.head)
        if answer.status == 304 { return }
        if answer.body.count <= Self.sliceByteCount {
            body = ByteBuffer(bytes: answer.body)
        } else {
            longBody = answer.body
        }
    }

    var bodyByteCount: Int { longBody?.count ?? body.readableBytes }

    /// Returns a line of text, marked `no-store`.
    static func line(
        _ status: HTTPResponse.Status,
        _ text: String,
        _ fields: HTTPFields = [:]
    ) -> ListenerResponse {
        var fields = fields
        fields[.contentType] = "text/plain; charset=utf-8"
        fields[.cacheControl] = "no-store"
        fields[.xContentTypeOptions] = "nosniff"
        let body = ByteBuffer(string: text + "\n")
        return ListenerResponse(head: HTTPResponse(status: status, headerFields: fields), body: body)
    }

    /// Returns an error, marked `no-store`: a problem document (RFC 9457) if `Accept` allows JSON, else its
    /// title.
    static func problem(
        _ status: HTTPResponse.Status,
        _ code: String,
        _ title: String,
        accept: String?,
        _ fields: HTTPFields = [:]
    ) -> ListenerResponse {
        var answer = line(status, title, fields)
        guard let accept, ProblemDocument.isAccepted(by: AcceptHeader(accept)) else { return answer }
        answer.head.headerFields[.contentType] = ProblemDocument.mediaType
        answer.body = ByteBuffer(bytes: ProblemDocument(status: status.code, code: code, title: title).json)
        return answer
    }
}

extension Data {
    /// Returns a copy of the next bytes of a long body; `nil` at its end.
    ///
    /// - Parameter start: The number of bytes before, which is increased.
    /// - Returns: At most ``ListenerResponse/sliceByteCount`` bytes.
    func nextSlice(_ start: inout Int) -> ByteBuffer? {
        guard start < count else { return nil }
        let rest = dropFirst(start)
        start += Swift.min(ListenerResponse.sliceByteCount, count - start)
        return ByteBuffer(bytes: rest.prefix(ListenerResponse.sliceByteCount))
    }
}
