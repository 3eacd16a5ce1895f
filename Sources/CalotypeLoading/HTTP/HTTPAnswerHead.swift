import FoundationEssentials

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
    /// Reads the lines of a head: the status line, fields, the empty line (RFC 9112 §4, §5).
    ///
    /// - Throws: ``FetchError/Code/invalidResponse`` for what two programs might read in two ways.
    init(lines: Data) throws(FetchError) {
        // As an array, which is taken apart several times as fast.
        var lines = [UInt8](lines).split(separator: UInt8(ascii: "\n"))[...]
        let statusLine = lines.popFirst().map { String(decoding: $0, as: UTF8.self) } ?? ""
        let words = statusLine.split(separator: " ", maxSplits: 2)
        guard words.count >= 2, let status = Int(words[1].prefix(3)) else {
            throw Self.invalid("status line")
        }
        var fields: [HeaderField] = []
        for line in lines where line.first != UInt8(ascii: "\r") {
            let text = String(decoding: line, as: UTF8.self).trimmingLineEnd
            if text.first == " " || text.first == "\t", let last = fields.indices.last {
                fields[last].value += " " + text.trimmingBlanks
            } else {
                fields.append(try Self.field(text))
            }
        }
        try self.init(status: status, fields: fields)
        try checkLengths()
    }

    private static func field(_ line: Substring) throws(FetchError) -> HeaderField {
        guard let colon = line.utf8.firstIndex(of: UInt8(ascii: ":")), colon != line.startIndex,
            line[..<colon].utf8.allSatisfy(\.isTokenCharacter)
        else { throw invalid("header field") }
        return HeaderField(String(line[..<colon]), line[line.index(after: colon)...].trimmingBlanks)
    }

    /// Two lengths, or one that is no number, leave the end of the body to guessing.
    private func checkLengths() throws(FetchError) {
        let lengths = Set(fields.filter { $0.isNamed("content-length") }.map(\.value))
        guard lengths.count <= 1, lengths.allSatisfy({ $0.utf8.allSatisfy { (48...57).contains($0) } }) else {
            throw Self.invalid("length")
        }
    }

    private static func invalid(_ part: String) -> FetchError {
        FetchError(.invalidResponse, detail: "the answer has a \(part) that is not HTTP")
    }
}

extension HTTPAnswerHead {
    /// Codings that exist and that the client unpacks.
    private static let unpacked: Set = ["gzip", "x-gzip", "deflate", "br", "zstd"]
    /// Codings that exist and that it does not.
    private static let unknown: Set = [
        "compress", "x-compress", "exi", "pack200-gzip", "dcb", "dcz", "aes128gcm",
    ]

    private var codings: [String] {
        let text = fields.combinedValue(of: "content-encoding") ?? ""
        return text.split(separator: ",").map { $0.trimmingBlanks.lowercased() }
            .filter { !["", "identity"].contains($0) }
    }

    /// Whether the body came packed, so that its bytes are not those that were announced.
    var isPacked: Bool { codings.contains(where: Self.unpacked.contains) }

    /// Whether a coding is named that the client cannot unpack.
    var hasUnknownCoding: Bool { codings.contains(where: Self.unknown.contains) }

    /// Whether what is named is no coding at all, as object stores have it (`aws-chunked`, `utf-8`, `none`).
    var hasUnrealCoding: Bool { !codings.isEmpty && !isPacked && !hasUnknownCoding }
}

extension String {
    /// Without the carriage return at its end.
    fileprivate var trimmingLineEnd: Substring { last == "\r" ? dropLast() : self[...] }
}

extension UInt8 {
    /// Whether it may stand in the name of a field: a letter, a digit, or one of fifteen others (RFC 9110
    /// §5.6.2).
    var isTokenCharacter: Bool {
        switch self {
        case 0x30...0x39, 0x41...0x5A, 0x5E...0x7A, 0x7C, 0x7E: true
        default: "!#$%&'*+-.".utf8.contains(self)
        }
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
        guard !head.hasUnknownCoding else {
            throw FetchError(
                .invalidResponse,
                status: head.status,
                detail: "the body is encoded in a way that is not known here"
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
