/// The components of an address, as slices of its bytes; without decoding, encoding or validation.
///
/// Control characters and spaces around the text, and tabs and line breaks in it, are dropped as in browsers
/// (URL Standard, basic URL parser).
struct AddressText {
    /// The scheme in lower case; `nil` for a relative reference.
    private(set) var scheme: String?
    /// The user information, host and port after `//`; `nil` without `//`.
    private(set) var authority: ArraySlice<UInt8>?
    /// The path; may be empty.
    private(set) var path: ArraySlice<UInt8>
    /// The query without its `?`.
    private(set) var query: ArraySlice<UInt8>?
    /// The fragment without its `#`.
    private(set) var fragment: ArraySlice<UInt8>?

    /// Splits an address into its components (RFC 3986 appendix B).
    init(_ bytes: some Sequence<UInt8>) {
        var rest = Self.trimmed(bytes)[...]
        if let mark = rest.firstIndex(of: UInt8(ascii: "#")) {
            fragment = rest[(mark + 1)...]
            rest = rest[..<mark]
        }
        let opaqueStart = Self.schemeEnd(of: rest)
        if let colon = opaqueStart {
            scheme = String(decoding: rest[..<colon], as: UTF8.self).lowercased()
            rest = rest[(colon + 1)...]
        }
        if let mark = rest.firstIndex(of: UInt8(ascii: "?")) {
            query = rest[(mark + 1)...]
            rest = rest[..<mark]
        }
        if rest.starts(with: "//".utf8) {
            let behind = rest.dropFirst(2)
            let end = behind.firstIndex(of: UInt8(ascii: "/")) ?? behind.endIndex
            authority = behind[..<end]
            rest = behind[end...]
        }
        path = rest
    }

    /// Whether it is empty except for a fragment.
    var isEmpty: Bool { scheme == nil && authority == nil && path.isEmpty && query == nil }

    /// Resolves a reference against the address that contains it (RFC 3986 §5.2.2).
    mutating func resolve(against base: AddressText) {
        guard scheme == nil else { return }
        scheme = base.scheme
        guard authority == nil else { return }
        authority = base.authority
        if path.isEmpty {
            path = base.path
            if query == nil { query = base.query }
        } else if path.first != UInt8(ascii: "/") {
            let folderEnd = base.path.lastIndex(of: UInt8(ascii: "/"))
            let folder = folderEnd.map { base.path[...$0] } ?? Array("/".utf8)[...]
            path = folder + path
        }
    }

    /// Treats the first segment as the authority if one slash or three follow the scheme, as in
    /// `http:/host/path`; browsers and curl do the same.
    mutating func mendSlashes() {
        guard scheme != nil || authority != nil, authority?.isEmpty ?? true,
            path.first == UInt8(ascii: "/")
        else { return }
        let behind = path.dropFirst()
        guard let first = behind.first, first != UInt8(ascii: "/") else { return }
        let end = behind.firstIndex(of: UInt8(ascii: "/")) ?? behind.endIndex
        (authority, path) = (behind[..<end], behind[end...])
    }

    mutating func dropUser() {
        guard let mark = authority?.lastIndex(of: UInt8(ascii: "@")) else { return }
        authority = authority?[(mark + 1)...]
    }

    private static func trimmed(_ bytes: some Sequence<UInt8>) -> [UInt8] {
        var text = bytes.filter { $0 != 0x09 && $0 != 0x0A && $0 != 0x0D }
        while let last = text.last, last <= 0x20 { text.removeLast() }
        return Array(text.drop { $0 <= 0x20 })
    }

    /// Returns the index of the colon after a scheme (RFC 3986 §3.1).
    private static func schemeEnd(of text: ArraySlice<UInt8>) -> Int? {
        guard let first = text.first, isLetter(first),
            let colon = text.firstIndex(where: { !isOfScheme($0) }), text[colon] == UInt8(ascii: ":")
        else { return nil }
        return colon
    }

    private static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte | 0x20) }

    private static func isOfScheme(_ byte: UInt8) -> Bool {
        isLetter(byte) || (0x30...0x39).contains(byte) || "+-.".utf8.contains(byte)
    }
}
