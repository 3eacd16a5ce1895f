public import FoundationEssentials

extension ImageFormat {
    /// Recognises a format by its magic numbers, or gives `nil`; never decides by one byte.
    ///
    /// Expects the beginning of the file, of which it reads 1,100 bytes at most, and 64 KiB where XML begins.
    /// A match says what the file claims to be, not that it is sound.
    public init?(sniffing data: Data) {
        let head = FileHead(data)
        guard let match = Self.recognized.first(where: { head.isStart(of: $0) }) else { return nil }
        self = match
    }
}
