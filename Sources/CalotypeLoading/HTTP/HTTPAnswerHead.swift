import AsyncHTTPClient
import NIOHTTP1

/// The status and the header fields of an answer.
struct HTTPAnswerHead {
    /// The status.
    let status: Int
    /// The header fields, in order.
    let fields: [HeaderField]

    /// More bytes of names and values are refused.
    private static let fieldByteCountMax = 64 << 10

    init(status: Int, fields: [HeaderField]) throws(FetchError) {
        self.status = status
        self.fields = fields
        let byteCount = fields.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count }
        guard byteCount <= Self.fieldByteCountMax else {
            throw FetchError(
                .invalidResponse,
                status: status,
                detail: "a header of more than \(Self.fieldByteCountMax) bytes"
            )
        }
    }

    /// Whether the answer points elsewhere.
    var isRedirect: Bool {
        [301, 302, 303, 307, 308].contains(status)
    }

    /// The number of bytes of the body, where the header tells it.
    var contentByteCount: Int? {
        if status == 204 || status == 304 { return 0 }
        if value(of: "Transfer-Encoding") != nil { return nil }
        return value(of: "Content-Length").flatMap { Int($0) }
    }

    /// The value of the first field with this name.
    func value(of name: String) -> String? {
        let name = name.lowercased()
        return fields.first { $0.isNamed(name) }?.value
    }
}

extension HTTPAnswerHead {
    /// The head as the client gives it.
    init(_ response: HTTPClientResponse) throws(FetchError) {
        try self.init(
            status: Int(response.status.code),
            fields: response.headers.map { HeaderField($0.name, $0.value) }
        )
    }
}

extension HTTPDataLoader.Configuration {
    /// Throws where the answer does not carry what was asked for.
    func check(_ head: HTTPAnswerHead, for request: FetchRequest) throws(FetchError) {
        let asked = Set(request.headers.map { $0.name.lowercased() })
        let isRevalidation = !asked.isDisjoint(with: ["if-none-match", "if-modified-since"])
        if head.status == 304, isRevalidation { return }
        guard acceptedStatuses.contains(head.status) else {
            throw FetchError(
                .unacceptableStatus,
                status: head.status,
                isRetryable: [408, 425, 429, 500, 502, 503, 504].contains(head.status),
                retryAfter: head.fields.retryAfter,
                detail: "the server answered \(head.status)"
            )
        }
        guard head.status != 206 || asked.contains("range") else {
            throw FetchError(
                .invalidResponse,
                status: 206,
                detail: "a part came although the whole was asked for"
            )
        }
        if let coding = head.value(of: "Content-Encoding"), !["", "identity"].contains(coding.lowercased()) {
            throw FetchError(
                .invalidResponse,
                status: head.status,
                detail: "the body is encoded as “\(coding.prefix(32))” although identity was asked for"
            )
        }
        try check(contentType: head.value(of: "Content-Type"), status: head.status)
    }

    private func check(contentType: String?, status: Int) throws(FetchError) {
        guard let acceptedContentTypes else { return }
        let type = contentType?.prefix { $0 != ";" }.filter { !$0.isWhitespace }.lowercased() ?? ""
        let isAccepted = acceptedContentTypes.contains { accepted in
            let accepted = accepted.lowercased()
            return accepted.hasSuffix("/*") ? type.hasPrefix(accepted.dropLast()) : type == accepted
        }
        guard isAccepted else {
            let shown = type.isEmpty ? "none" : String(type.prefix(64))
            throw FetchError(.unacceptableContentType, status: status, detail: "the content type is \(shown)")
        }
    }
}
