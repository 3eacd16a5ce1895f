public import FoundationEssentials

extension ImageFormat {
    /// Recognizes a format by its magic numbers; `nil` for others; a single byte never decides.
    ///
    /// Expects the beginning of the file, of which it reads at most 1,100 bytes, or 64 KiB of XML. A match
    /// does not imply that the file is valid.
    public init?(sniffing data: Data) {
        let head = FileHeader(data)
        guard let match = Self.recognized.first(where: { head.isStart(of: $0) }) else { return nil }
        self = match
    }
}
