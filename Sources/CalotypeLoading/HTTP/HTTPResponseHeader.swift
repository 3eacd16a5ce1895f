import FoundationEssentials

struct HTTPResponseHeader {
    let status: Int
    /// The header fields, in order.
    let fields: [HeaderField]

    /// The most bytes of names and values.
    private static let maxFieldByteCount = 64 << 10

    init(status: Int, fields: [HeaderField]) throws(FetchError) {
        self.status = status
        self.fields = fields
        let byteCount = fields.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count }
        guard byteCount <= Self.maxFieldByteCount else {
            throw FetchError(
                .invalidResponse,
                status: status,
                detail: "the response header has more than \(Self.maxFieldByteCount) bytes"
            )
        }
    }

    var isRedirect: Bool {
        switch status {
        case 301, 302, 303, 307, 308: true
        default: false
        }
    }

    /// The number of bytes of the body, if the header states it.
    var contentByteCount: Int? {
        if status == 204 || status == 304 { return 0 }
        if value(of: "Transfer-Encoding") != nil { return nil }
        return value(of: "Content-Length").flatMap { Int($0) }
    }

    /// Returns the value of the first field with this name.
    func value(of name: String) -> String? {
        let name = name.lowercased()
        return fields.first { $0.isNamed(name) }?.value
    }
}

extension HTTPResponseHeader {
    /// Parses the lines of a header: the status line, fields, the empty line (RFC 9112 §4, §5).
    ///
    /// - Throws: ``FetchError/Code/invalidResponse`` for ambiguous messages.
    init(lines: Data) throws(FetchError) {
        // An array is several times as fast to parse.
        var lines = [UInt8](lines).split(separator: UInt8(ascii: "\n"))[...]
        let words = lines.popFirst()?.split(separator: UInt8(ascii: " "), maxSplits: 2) ?? []
        guard words.count >= 2, let status = Int(String(decoding: words[1].prefix(3), as: UTF8.self)) else {
            throw Self.invalid("status line")
        }
        var fields: [HeaderField] = []
        fields.reserveCapacity(lines.count)
        for line in lines where line.first != UInt8(ascii: "\r") {
            if line.first?.isBlank == true, let last = fields.indices.last {
                fields[last].value += " " + Self.value(line)
            } else {
                fields.append(try Self.field(line))
            }
        }
        try self.init(status: status, fields: fields)
        try checkLengths()
    }

    private static func field(_ line: ArraySlice<UInt8>) throws(FetchError) -> HeaderField {
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")), colon != line.startIndex,
            line[..<colon].allSatisfy(\.isTokenCharacter)
        else { throw invalid("header field") }
        let name = String(decoding: line[..<colon], as: UTF8.self)
        let field = HeaderField(name, value(line[(colon + 1)...]))
        // The bytes of an address are preserved in any encoding: an origin names its files by bytes.
        guard field.isNamed("location") else { return field }
        return HeaderField(name, value(line[(colon + 1)...].escapedWhereNotUTF8))
    }

    /// Returns the rest without surrounding blanks and the end of the line.
    private static func value(_ line: ArraySlice<UInt8>) -> String {
        var line = line
        if line.last == UInt8(ascii: "\r") { line.removeLast() }
        while line.last?.isBlank == true { line.removeLast() }
        return String(decoding: line.drop(while: \.isBlank), as: UTF8.self)
    }

    /// Two lengths, or an invalid one, leave the end of the body undefined.
    private func checkLengths() throws(FetchError) {
        var length: String?
        for field in fields where field.isNamed("content-length") {
            let isNumber = field.value.utf8.allSatisfy { (48...57).contains($0) }
            guard isNumber, length == nil || length == field.value else { throw Self.invalid("length") }
            length = field.value
        }
    }

    private static func invalid(_ part: String) -> FetchError {
        FetchError(.invalidResponse, detail: "the response has an invalid \(part)")
    }
}

extension HTTPResponseHeader {
    // Content codings that the client decodes.
    private static let unpacked: Set = ["gzip", "x-gzip", "deflate", "br", "zstd"]
    // Content codings that it does not decode.
    private static let unknown: Set = [
        "compress", "x-compress", "exi", "pack200-gzip", "dcb", "dcz", "aes128gcm",
    ]

    private var codings: [String] {
        guard let text = fields.combinedValue(of: "content-encoding") else { return [] }
        return text.split(separator: ",").map { $0.trimmingBlanks.lowercased() }
            .filter { !["", "identity"].contains($0) }
    }

    /// The content codings as named by the response, at most 64 characters.
    var codingText: Substring { codings.joined(separator: ", ").prefix(64) }

    /// Whether the body is compressed, so that its length differs from the announced one.
    var isPacked: Bool { codings.contains(where: Self.unpacked.contains) }

    /// Whether there is a content coding that the client cannot decode.
    var hasUnknownCoding: Bool { codings.contains(where: Self.unknown.contains) }

    /// Whether the named value is not a content coding, as object stores send (`aws-chunked`, `utf-8`,
    /// `none`).
    var hasUnrealCoding: Bool { !codings.isEmpty && !isPacked && !hasUnknownCoding }
}

extension ArraySlice<UInt8> {
    /// The same bytes; if they are not UTF-8, with each non-ASCII byte as `%` and two digits.
    fileprivate var escapedWhereNotUTF8: ArraySlice<UInt8> {
        guard String(validating: self, as: UTF8.self) == nil else { return self }
        return flatMap { byte in
            byte < 0x80 ? [byte] : Array("%\(String(byte, radix: 16, uppercase: true))".utf8)
        }[...]
    }
}

extension UInt8 {
    /// Whether it may appear in a field name: a letter, a digit, or one of fifteen others (RFC 9110 §5.6.2).
    var isTokenCharacter: Bool {
        switch self {
        case 0x30...0x39, 0x41...0x5A, 0x5E...0x7A, 0x7C, 0x7E: true
        case 0x21, 0x23...0x27, 0x2A, 0x2B, 0x2D, 0x2E: true
        default: false
        }
    }

    /// Whether it is a space or a tab.
    var isBlank: Bool { self == 0x20 || self == 0x09 }
}
