import CalotypeCore

/// Converts the bytes of a row to pixels.
///
/// Each row is written by one call that selects the conversion before its loop, so that the loop only moves
/// bytes.
@safe struct BMPRowLayout {
    private let bitsPerPixel: Int
    private let palette: BMPPalette?
    private let masks: BMPMasks
    private let channels: (red: BMPChannel, green: BMPChannel, blue: BMPChannel, alpha: BMPChannel)

    init(_ header: BMPHeader, _ palette: BMPPalette?) {
        bitsPerPixel = header.bitsPerPixel
        self.palette = palette
        masks = header.masks
        channels = (
            BMPChannel(mask: masks.red, ifAbsent: 0), BMPChannel(mask: masks.green, ifAbsent: 0),
            BMPChannel(mask: masks.blue, ifAbsent: 0), BMPChannel(mask: masks.alpha, ifAbsent: 255)
        )
    }

    /// Writes one row.
    ///
    ///   - row: At least the bytes of the row without its padding.
    ///   - target: The memory for the pixels.
    ///   - width: Pixels in the row.
    ///   - bytesPerPixel: 1 for a gray palette, otherwise 3 or 4.
    /// - Returns: All alpha values of the row combined by OR; 255 without alpha.
    func write(
        _ row: UnsafeRawBufferPointer,
        into target: UnsafeMutablePointer<UInt8>,
        width: Int,
        bytesPerPixel: Int
    ) -> UInt8 {
        precondition(row.count >= (width * bitsPerPixel + 7) / 8, "the row is truncated")
        // The row is not empty, so it has an address.
        guard width > 0, let source = unsafe row.baseAddress?.assumingMemoryBound(to: UInt8.self) else {
            return 255
        }
        if let palette {
            unsafe writeIndices(source, palette, target, width, bytesPerPixel)
            return 255
        }
        if masks == BMPMasks(bitsPerPixel: bitsPerPixel), bitsPerPixel >= 24 {
            unsafe writeBytes(source, target, width, bytesPerPixel)
            return 255
        }
        return unsafe writeFields(source, target, width, bytesPerPixel)
    }

    /// Eight bits are one index a byte; fewer bits are packed, the first index in the highest bits.
    private func writeIndices(
        _ source: UnsafePointer<UInt8>,
        _ palette: BMPPalette,
        _ target: UnsafeMutablePointer<UInt8>,
        _ width: Int,
        _ bytesPerPixel: Int
    ) {
        let bits = bitsPerPixel
        let perByte = 8 / bits
        let mask = (1 << bits) - 1
        unsafe palette.colors.withUnsafeBufferPointer { colors in
            for x in 0..<width {
                let shift = 8 - bits - x % perByte * bits
                let color = unsafe (Int(source[x / perByte]) >> shift & mask) * 4
                for channel in 0..<bytesPerPixel {
                    unsafe target[x * bytesPerPixel + channel] = colors[color + channel]
                }
            }
        }
    }

    /// Blue, green, red, and an unused byte for 32 bits.
    private func writeBytes(
        _ source: UnsafePointer<UInt8>,
        _ target: UnsafeMutablePointer<UInt8>,
        _ width: Int,
        _ bytesPerPixel: Int
    ) {
        let step = bitsPerPixel / 8
        for x in 0..<width {
            let (from, to) = (x * step, x * bytesPerPixel)
            unsafe target[to] = source[from + 2]
            unsafe target[to + 1] = source[from + 1]
            unsafe target[to + 2] = source[from]
            if bytesPerPixel == 4 { unsafe target[to + 3] = 255 }
        }
    }

    private func writeFields(
        _ source: UnsafePointer<UInt8>,
        _ target: UnsafeMutablePointer<UInt8>,
        _ width: Int,
        _ bytesPerPixel: Int
    ) -> UInt8 {
        let isShort = bitsPerPixel == 16
        var alphas: UInt8 = 0
        for x in 0..<width {
            let pixel =
                isShort
                ? unsafe UInt32(source[x * 2]) | UInt32(source[x * 2 + 1]) << 8
                : unsafe UInt32(source[x * 4]) | UInt32(source[x * 4 + 1]) << 8
                    | UInt32(source[x * 4 + 2]) << 16 | UInt32(source[x * 4 + 3]) << 24
            let to = x * bytesPerPixel
            unsafe target[to] = channels.red.level(pixel)
            unsafe target[to + 1] = channels.green.level(pixel)
            unsafe target[to + 2] = channels.blue.level(pixel)
            let alpha = channels.alpha.level(pixel)
            if bytesPerPixel == 4 { unsafe target[to + 3] = alpha }
            alphas |= alpha
        }
        return alphas
    }
}
