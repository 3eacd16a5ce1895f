extension Image {
    /// Whether no pixel is translucent.
    ///
    /// - Complexity: O(pixels) where there is an alpha channel, else O(1).
    public var isOpaque: Bool {
        if pixelFormat.isDeep { return isDeepAlphaOpaque }
        guard pixelFormat == .rgba8 else { return true }
        return unsafe pixels.withUnsafeBytes { bytes in
            // The alpha bytes of all pixels are joined, which needs no branch: 255 remains where all are.
            var joined: UInt8 = 255
            for index in stride(from: 3, to: bytes.count, by: 4) { unsafe joined &= bytes[index] }
            return joined == 255
        }
    }

    private var isDeepAlphaOpaque: Bool {
        unsafe pixels.withUnsafeBytes { bytes in
            // One as a half float; what is above it is as opaque.
            let opaque: UInt16 = pixelFormat == .rgba16 ? .max : 0x3C00
            for start in stride(from: 6, to: bytes.count, by: 8) {
                let alpha = unsafe bytes.load(fromByteOffset: start, as: UInt16.self)
                guard alpha >= opaque, pixelFormat == .rgba16 || alpha < 0x8000 else { return false }
            }
            return true
        }
    }
}
