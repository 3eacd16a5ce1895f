/// The last part of an imgproxy URL: the source and the extension.
struct ImgproxySource: Hashable {
    /// The source's URL, decoded.
    let text: String
    /// The requested format; `nil` if the URL has no extension.
    let fileExtension: String?

    /// Parses the text after `/plain/`.
    init(plain tail: Substring) throws(RequestError) {
        let parts = tail.parts(between: UInt8(ascii: "@"), atMost: 3)
        guard parts.count <= 2 else { throw Self.error("there is more than one “@”; write it “%40”") }
        guard let text = URLText.percentDecoded(parts[0]) else {
            throw Self.error("\(parts[0].quoted) has invalid percent-encoding")
        }
        try self.init(text, parts.count == 2 ? parts[1] : "")
    }

    /// Parses a base64 source, which slashes may divide.
    init(base64 text: Substring, hasFileName: Bool) throws(RequestError) {
        let slash = UInt8(ascii: "/")
        if text.prefix(before: slash) == "enc" {
            throw RequestError(.unsupportedOption, option: "enc", detail: "sources cannot be encrypted")
        }
        var bytes = text.bytes
        if hasFileName, let last = bytes.lastIndex(of: slash) { bytes.removeSubrange(last...) }
        bytes.removeAll { $0 == slash }
        let parts = String(decoding: bytes, as: UTF8.self).parts(between: UInt8(ascii: "."), atMost: 3)
        guard parts.count <= 2 else { throw Self.error("there is more than one “.” after the base64") }
        guard let digits = parts.first, let source = URLText.base64Decoded(digits, toleratesPadding: true),
            let text = String(validating: source, as: UTF8.self)
        else { throw Self.error("\(parts.first?.quoted ?? "") is not URL-safe base64") }
        try self.init(text, parts.count == 2 ? parts[1] : "")
    }

    private init(_ text: String, _ fileExtension: Substring) throws(RequestError) {
        guard !text.isEmpty else { throw Self.error("it is empty") }
        self.text = text
        self.fileExtension = fileExtension.isEmpty ? nil : String(fileExtension)
    }

    private static func error(_ detail: String) -> RequestError {
        RequestError(.invalidSource, detail: "invalid source: \(detail)")
    }

    /// Returns the source, with the base URL added unless it begins with it.
    func text(after base: String) -> String { text.hasPrefix(base) ? text : base + text }
}
