/// The last part of a URL of imgproxy's grammar: the source, and the extension behind it.
struct ImgproxySource: Hashable {
    /// The source's URL, decoded.
    let text: String
    /// The name of the format that is asked for; `nil` where there is none.
    let fileExtension: String?

    /// Reads what stands behind `/plain/`.
    init(plain tail: Substring) throws(RequestError) {
        let parts = tail.parts(between: UInt8(ascii: "@"))
        guard parts.count <= 2 else { throw Self.error("there is more than one “@”; write it “%40”") }
        guard let text = URLText.percentDecoded(parts[0]) else {
            throw Self.error("\(parts[0].quoted) is wrongly percent-encoded")
        }
        try self.init(text, parts.count == 2 ? parts[1] : "")
    }

    /// Reads what is left of the path where it is in base64.
    init(base64 segments: ArraySlice<Substring>, hasFileName: Bool) throws(RequestError) {
        let isNamed = hasFileName && segments.count > 1
        if segments.first == "enc" {
            throw RequestError(.unsupportedOption, option: "enc", detail: "sources cannot be encrypted")
        }
        let parts = (isNamed ? segments.dropLast() : segments).joined()
            .parts(between: UInt8(ascii: "."))
        guard parts.count <= 2 else { throw Self.error("there is more than one “.” behind base64") }
        guard let digits = parts.first, let bytes = URLText.base64Decoded(digits, toleratesPadding: true),
            let text = String(validating: bytes, as: UTF8.self)
        else { throw Self.error("\(parts.first?.quoted ?? "") is no URL-safe base64 of a URL") }
        try self.init(text, parts.count == 2 ? parts[1] : "")
    }

    private init(_ text: String, _ fileExtension: Substring) throws(RequestError) {
        guard !text.isEmpty else { throw Self.error("it is empty") }
        self.text = text
        self.fileExtension = fileExtension.isEmpty ? nil : String(fileExtension)
    }

    private static func error(_ detail: String) -> RequestError {
        RequestError(.invalidSource, detail: "the source cannot be read: \(detail)")
    }

    /// The source, with what is put before all of them unless it is there.
    func text(after base: String) -> String { text.hasPrefix(base) ? text : base + text }
}
