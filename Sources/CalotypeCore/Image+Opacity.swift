extension Image {
    /// Whether no pixel is translucent.
    ///
    /// - Complexity: O(pixels) where there is an alpha channel, else O(1).
    public var isOpaque: Bool {
        guard pixelFormat == .rgba8 else { return true }
        return unsafe pixels.withUnsafeBytes { bytes in
            // The alpha bytes of all pixels are joined, which needs no branch: 255 remains where all are.
            var joined: UInt8 = 255
            for index in stride(from: 3, to: bytes.count, by: 4) { unsafe joined &= bytes[index] }
            return joined == 255
        }
    }
}
