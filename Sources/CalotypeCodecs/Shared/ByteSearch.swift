extension [UInt8] {
    /// Returns the offset of a text in bytes, from an offset on; `nil` if it is absent.
    ///
    /// Compiled for bytes: untrusted blocks may have a megabyte.
    func offset(of text: String, from start: Int = 0, to end: Int? = nil) -> Int? {
        let pattern = [UInt8](text.utf8)
        let last = Swift.min(end ?? count, count) - pattern.count
        guard let first = pattern.first, start >= 0, start <= last else { return nil }
        for offset in start...last where self[offset] == first {
            if (1..<pattern.count).allSatisfy({ self[offset + $0] == pattern[$0] }) { return offset }
        }
        return nil
    }
}
