/// The path of a URL of imgproxy's grammar, before its options are looked at.
struct ImgproxyPath: Hashable {
    /// The first segment.
    let signature: Substring
    /// What is signed: all behind it, normalised, with its leading `/`.
    let signedText: String

    /// Takes a path apart.
    ///
    /// - Parameters:
    ///   - target: What the request line asks for, as it came; a query is cut off.
    ///   - limits: How much of it is read.
    /// - Throws: ``RequestError`` with `malformedPath` or `pathTooLong`.
    init(_ target: String, _ limits: GrammarLimits) throws(RequestError) {
        guard target.utf8.count <= limits.pathByteCountMax else {
            throw RequestError(.pathTooLong, detail: "\(target.utf8.count) bytes of path")
        }
        let path = target.prefix { $0 != "?" }
        guard path.first == "/", path.utf8.allSatisfy({ $0 > 32 && $0 != 127 }) else {
            throw RequestError(.malformedPath, detail: "\(path.quoted) is no path")
        }
        signature = path.dropFirst().prefix { $0 != "/" }
        let rest = path.dropFirst(1 + signature.count)
        guard !signature.isEmpty, rest.utf8.count > 1 else {
            throw RequestError(.malformedPath, detail: "\(path.quoted) has nothing behind a signature")
        }
        signedText = Self.normalised(rest)
    }

    /// The path as clients meant it before proxies had it: `:` where there is `%3A`, and `://` where one of
    /// two slashes was taken away.
    private static func normalised(_ path: Substring) -> String {
        guard let plain = startOfPlain(path) else { return withColons(path) }
        return withColons(path[..<plain.lowerBound]) + "/plain/" + repaired(path[plain.upperBound...])
    }

    /// What stands before a source that is not in base64, by its bytes and not its letters.
    static func startOfPlain(_ path: some StringProtocol) -> Range<String.Index>? {
        path.utf8.firstRange(of: "/plain/".utf8)
    }

    private static func withColons(_ text: Substring) -> String {
        let hasOne = text.utf8.firstRange(of: "%3A".utf8) != nil
        return hasOne ? String(text.replacing("%3A", with: ":")) : String(text)
    }

    /// The last `:/` with one slash gets two.
    private static func repaired(_ source: Substring) -> String {
        let bytes = Array(source.utf8)
        let colon = bytes.indices.last { index in
            index > 0 && bytes[index...].starts(with: ":/".utf8) && index + 2 < bytes.count
                && bytes[index + 2] != UInt8(ascii: "/")
        }
        guard let colon else { return String(source) }
        let head = String(decoding: bytes[..<colon], as: UTF8.self)
        let tail = String(decoding: bytes[(colon + 2)...], as: UTF8.self)
        return head + (head == "local" ? ":///" : "://") + tail
    }
}
