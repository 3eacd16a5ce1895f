/// The path of an imgproxy URL, before its options are parsed.
struct ImgproxyPath: Hashable {
    let signature: Substring
    /// The signed text: the path after the signature, normalised, with its leading `/`.
    let signedText: String

    /// Splits a path.
    ///
    /// - Parameters:
    ///   - target: The path of the request line, as received; a query is removed.
    ///   - limits: The limits on its length.
    /// - Throws: ``RequestError`` with `malformedPath` or `pathTooLong`.
    init(_ target: String, _ limits: GrammarLimits) throws(RequestError) {
        guard target.utf8.count <= limits.maxPathByteCount else {
            throw RequestError(
                .pathTooLong,
                detail: "the path has \(target.utf8.count) bytes; use at most \(limits.maxPathByteCount)"
            )
        }
        let path = target.prefix(before: UInt8(ascii: "?")).bytes
        guard path.first == UInt8(ascii: "/"), path.allSatisfy({ $0 > 32 && $0 != 127 }) else {
            throw RequestError(.malformedPath, detail: "\(target.quoted) is not a path")
        }
        let slash = path.dropFirst().firstIndex(of: UInt8(ascii: "/")) ?? path.endIndex
        guard slash > 1, path.count - slash > 1 else {
            throw RequestError(.malformedPath, detail: "\(target.quoted) has nothing after the signature")
        }
        signature = Substring(decoding: path[1..<slash], as: UTF8.self)
        signedText = String(decoding: Self.normalised(Array(path[slash...])), as: UTF8.self)
    }

    /// Reverses changes by proxies: `%3A` becomes `:`, and a source with one slash after the scheme gets the
    /// second.
    private static func normalised(_ path: [UInt8]) -> [UInt8] {
        guard let plain = path.firstIndex(of: plainWord, from: 0) else { return withColons(path) }
        let source = Array(path[(plain + plainWord.count)...])
        return withColons(Array(path[..<plain])) + plainWord + repaired(source)
    }

    private static let plainWord = Array("/plain/".utf8)
    private static let colonWord = Array("%3A".utf8)

    /// Returns the range before a plain source, compared by bytes rather than characters.
    static func startOfPlain<Text: StringProtocol>(_ path: Text) -> Range<String.Index>?
    where Text.SubSequence == Substring {
        path.firstRange(ofBytes: "/plain/")
    }

    private static func withColons(_ text: [UInt8]) -> [UInt8] {
        guard var next = text.firstIndex(of: colonWord, from: 0) else { return text }
        var (replaced, place) = (Array(text[..<next]), next)
        replaced.reserveCapacity(text.count)
        while place < text.count {
            if place == next {
                replaced.append(UInt8(ascii: ":"))
                place += colonWord.count
                next = text.firstIndex(of: colonWord, from: place) ?? text.count
            } else {
                replaced.append(text[place])
                place += 1
            }
        }
        return replaced
    }

    /// Inserts a second slash into the last `:/` that has only one.
    private static func repaired(_ source: [UInt8]) -> [UInt8] {
        var colon = source.count - 3
        while colon > 0 {
            if source[colon] == UInt8(ascii: ":"), source[colon + 1] == UInt8(ascii: "/"),
                source[colon + 2] != UInt8(ascii: "/")
            {
                break
            }
            colon -= 1
        }
        guard colon > 0 else { return source }
        let isLocal = source[..<colon].elementsEqual("local".utf8)
        return Array(source[..<colon]) + (isLocal ? ":///" : "://").utf8 + source[(colon + 2)...]
    }
}
