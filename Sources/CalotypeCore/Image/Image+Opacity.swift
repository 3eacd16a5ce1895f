extension Image {
    /// True if no pixel is translucent.
    ///
    /// - Complexity: O(pixels) with an alpha channel, otherwise O(1).
    public var isOpaque: Bool {
        if pixelFormat.isDeep { return isDeepAlphaOpaque }
        guard pixelFormat == .rgba8 else { return true }
        return unsafe pixels.withUnsafeBytes { bytes in
            // ANDs all alpha bytes, which needs no branch: the result is 255 only if all are.
            var joined: UInt8 = 255
            for index in stride(from: 3, to: bytes.count, by: 4) { unsafe joined &= bytes[index] }
            return joined == 255
        }
    }

    private var isDeepAlphaOpaque: Bool {
        unsafe pixels.withUnsafeBytes { bytes in
            // 1.0 as a half float; larger values are opaque too.
            let opaque: UInt16 = pixelFormat == .rgba16 ? .max : 0x3C00
            for start in stride(from: 6, to: bytes.count, by: 8) {
                let alpha = unsafe bytes.load(fromByteOffset: start, as: UInt16.self)
                guard alpha >= opaque, pixelFormat == .rgba16 || alpha < 0x8000 else { return false }
            }
            return true
        }
    }
}
