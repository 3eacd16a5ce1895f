internal import CalotypeCache
internal import FoundationEssentials

/// Where the bytes of a request come from, and the key of what is made of them.
struct RequestIdentity: Sendable {
    /// What an original is kept under.
    let source: String
    /// What the variant is kept under.
    let key: ImageKey

    init(source: String, variant: String) {
        self.source = source
        key = variant.isEmpty ? ImageKey(source) : ImageKey(source: source, variant: variant)
    }
}

/// The identity that a request has where nothing but itself decides about it; `nil` where something may.
///
/// Only for `http:` and `https:` URLs without credentials, with no header fields: the pipeline and its loader
/// may have a say in all others, or a file's date.
struct PlainIdentity: Hashable, Sendable {
    let value: RequestIdentity?

    init() { value = nil }

    init(of request: ImageRequest) {
        guard request.headers.isEmpty, request.optionsBox?.options.leavesSource ?? true,
            let source = Self.source(request.url.absoluteString)
        else {
            value = nil
            return
        }
        value = RequestIdentity(source: source, variant: request.variantIdentity)
    }

    /// The text of a URL without its fragment, where it has the form of nearly all: scheme and host in
    /// lower case, no standard port, a path.
    static func source(_ text: String) -> String? {
        let bytes = text.utf8
        let colon = bytes.firstIndex(of: UInt8(ascii: ":"))
        guard let colon, text[..<colon] == "https" || text[..<colon] == "http" else { return nil }
        let rest = bytes[colon...].dropFirst()
        guard rest.starts(with: "//".utf8) else { return nil }
        let host = rest.dropFirst(2).prefix { !"/?#".utf8.contains($0) }
        guard !host.contains(where: { $0 == UInt8(ascii: "@") || (0x41...0x5A).contains($0) }),
            host.endIndex < bytes.endIndex, bytes[host.endIndex] == UInt8(ascii: "/"),
            !host.hasSuffix(text[..<colon] == "https" ? ":443" : ":80")
        else { return nil }
        guard let fragment = bytes.firstIndex(of: UInt8(ascii: "#")) else { return text }
        return String(text[..<fragment])
    }

    /// It follows from the request's other properties, which tell requests apart.
    static func == (left: PlainIdentity, right: PlainIdentity) -> Bool { true }

    /// Feeds nothing.
    func hash(into hasher: inout Hasher) {}
}

extension Substring.UTF8View {
    fileprivate func hasSuffix(_ suffix: String) -> Bool {
        self.suffix(suffix.utf8.count).elementsEqual(suffix.utf8)
    }
}
