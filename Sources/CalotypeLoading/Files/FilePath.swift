package import FoundationEssentials

/// The path of a file, as the bytes passed to the system.
///
/// Paths are bytes, not text: a name that is not UTF-8 is percent-encoded in a URL and decoded here
/// unchanged.
package struct FilePath: Sendable {
    /// The bytes, without the terminating NUL.
    package let bytes: [UInt8]

    package init(_ url: URL) throws(FetchError) {
        if let scheme = url.scheme, URLScheme(scheme) != .file {
            throw FetchError(.unsupportedScheme, detail: "not a file: URL")
        }
        let host = url.host(percentEncoded: false) ?? ""
        guard host.isEmpty || host.lowercased() == "localhost" else {
            throw FetchError(
                .invalidURL,
                detail: "a file: URL cannot have a remote host; write file:///path"
            )
        }
        bytes = percentDecoded(url.path(percentEncoded: true).utf8)
        guard !bytes.isEmpty else {
            throw FetchError(.invalidURL, detail: "the file: URL has no path")
        }
        guard !bytes.contains(0) else {
            throw FetchError(.invalidURL, detail: "the path contains a NUL byte")
        }
    }

    /// Returns the path relative to a folder; `nil` if the path is not below the folder.
    func bytes(below folder: FilePath) -> [UInt8]? {
        var base = folder.bytes[...]
        while base.last == UInt8(ascii: "/") { base.removeLast() }
        guard bytes.starts(with: base) else { return nil }
        let rest = bytes.dropFirst(base.count)
        guard rest.first == UInt8(ascii: "/") else { return nil }
        let relative = rest.drop { $0 == UInt8(ascii: "/") }
        return relative.isEmpty ? nil : Array(relative)
    }

    /// The path of the file's folder.
    var folder: String {
        String(decoding: bytes.prefix(bytes.lastIndex(of: UInt8(ascii: "/")) ?? 0), as: UTF8.self)
    }

    /// The path for an error's text: truncated, and without line breaks and control characters.
    var shown: String {
        let text = String(decoding: bytes.prefix(512), as: UTF8.self)
        return String(text.map { $0.isNewline || $0.asciiValue.map { $0 < 0x20 } == true ? "?" : $0 })
    }
}
