internal import CalotypeCache
internal import FoundationEssentials

/// The source of a request's bytes, and the key of the variant.
struct RequestIdentity: Sendable {
    /// The key of the original.
    let source: String
    let key: ImageKey

    init(source: String, variant: String) {
        self.source = source
        key = variant.isEmpty ? ImageKey(source) : ImageKey(source: source, variant: variant)
    }
}

extension ImageRequest {
    /// The bytes of the keys that the request retains; 0 if they depend on more than the request.
    package var keyByteCount: Int {
        plainIdentity.value.map { $0.source.utf8.count + $0.key.rawValue.utf8.count } ?? 0
    }
}

/// The identity of a request that depends on nothing but the request; `nil` if it may depend on more.
///
/// Only for `http:` and `https:` URLs without credentials and without header fields. For all others the
/// pipeline, its loader, or a file's date may affect the identity.
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

    /// Returns the text of a URL without its fragment, if it has the most common form: scheme and host in
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

    /// Always true: the identity follows from the other properties, which distinguish requests.
    static func == (left: PlainIdentity, right: PlainIdentity) -> Bool { true }

    func hash(into hasher: inout Hasher) {}
}

extension Substring.UTF8View {
    fileprivate func hasSuffix(_ suffix: String) -> Bool {
        self.suffix(suffix.utf8.count).elementsEqual(suffix.utf8)
    }
}
