/// The pixel layouts of four bytes that other libraries expect, in memory order.
public enum PixelLayout: String, Hashable, Sendable, CaseIterable {
    /// Red, green, blue, alpha; straight alpha.
    case rgba
    /// Blue, green, red, alpha; straight alpha.
    case bgra
    /// Red, green, blue, alpha; premultiplied.
    case premultipliedRGBA
    /// Blue, green, red, alpha; premultiplied: Cairo's `ARGB32`, SDL's `ARGB8888` and GDK's
    /// `B8G8R8A8_PREMULTIPLIED` on little-endian machines.
    case premultipliedBGRA
    /// Alpha, red, green, blue; premultiplied: Cairo's `ARGB32` on big-endian machines.
    case premultipliedARGB

    fileprivate var isPremultiplied: Bool { self != .rgba && self != .bgra }

    /// Returns the bytes of a pixel in this order.
    @inline(__always)
    fileprivate func ordered(
        _ red: UInt8,
        _ green: UInt8,
        _ blue: UInt8,
        _ alpha: UInt8
    ) -> (UInt8, UInt8, UInt8, UInt8) {
        switch self {
        case .rgba, .premultipliedRGBA: (red, green, blue, alpha)
        case .bgra, .premultipliedBGRA: (blue, green, red, alpha)
        case .premultipliedARGB: (alpha, red, green, blue)
        }
    }
}

extension Image {
    /// Writes the pixels in the layout of a drawing library: Cairo, SDL, GTK.
    ///
    /// Premultiplied colours and channels of more than 8 bits are rounded to the nearest level.
    ///
    /// - Parameters:
    ///   - target: The memory for the rows, starting with row 0; bytes between the rows are not changed.
    ///   - layout: The layout of the four bytes of a pixel.
    ///   - stride: Bytes from one row to the next.
    /// - Precondition: A row fits `stride`, and all rows fit `target`.
    public func copyPixels(to target: UnsafeMutableRawBufferPointer, as layout: PixelLayout, stride: Int) {
        precondition(stride >= size.width * 4, "a row of \(size.width) pixels is longer than the stride")
        let byteCount = (size.height - 1) * stride + size.width * 4
        precondition(target.count >= byteCount, "\(size) pixels do not fit into \(target.count) bytes")
        unsafe pixels.withUnsafeBytes { source in
            for row in 0..<size.height {
                let from = row * bytesPerRow
                let sourceRow = unsafe UnsafeRawBufferPointer(rebasing: source[from..<from + bytesPerRow])
                let start = row * stride
                let targetRow = unsafe UnsafeMutableRawBufferPointer(
                    rebasing: target[start..<start + size.width * 4]
                )
                unsafe copyRow(sourceRow, to: targetRow, as: layout)
            }
        }
    }

    private func copyRow(
        _ source: UnsafeRawBufferPointer,
        to target: UnsafeMutableRawBufferPointer,
        as layout: PixelLayout
    ) {
        if pixelFormat.isDeep { return unsafe copyDeepRow(source, to: target, as: layout) }
        let step = pixelFormat.bytesPerPixel
        let (green, blue) = step == 1 ? (0, 0) : (1, 2)
        for x in 0..<size.width {
            let from = x * step
            let alpha = step == 4 ? unsafe source[from + 3] : 255
            var colors = unsafe (source[from], source[from + green], source[from + blue])
            if layout.isPremultiplied, alpha != 255 {
                colors = (colors.0.scaled(by: alpha), colors.1.scaled(by: alpha), colors.2.scaled(by: alpha))
            }
            let pixel = layout.ordered(colors.0, colors.1, colors.2, alpha)
            unsafe target.storeBytes(of: pixel, toByteOffset: x * 4, as: (UInt8, UInt8, UInt8, UInt8).self)
        }
    }

    private func copyDeepRow(
        _ source: UnsafeRawBufferPointer,
        to target: UnsafeMutableRawBufferPointer,
        as layout: PixelLayout
    ) {
        for x in 0..<size.width {
            var levels = unsafe deepLevels(source, at: x)
            if layout.isPremultiplied, levels.w != 255 {
                for channel in 0..<3 { levels[channel] = levels[channel].scaled(by: levels.w) }
            }
            let pixel = layout.ordered(levels.x, levels.y, levels.z, levels.w)
            unsafe target.storeBytes(of: pixel, toByteOffset: x * 4, as: (UInt8, UInt8, UInt8, UInt8).self)
        }
    }
}

extension UInt8 {
    /// Returns the product with alpha / 255, rounded.
    @inline(__always)
    fileprivate func scaled(by alpha: UInt8) -> UInt8 {
        UInt8((Int(self) * Int(alpha) + 127) / 255)
    }
}
