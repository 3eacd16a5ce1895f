public import FoundationEssentials

extension Image {
    /// Returns the pixels as red, green, blue, alpha: `width × height × 4` bytes, row 0 on top, straight
    /// alpha.
    ///
    /// Channels of more than 8 bits are rounded, floating point is clamped to 0...1. Colours are not
    /// converted.
    ///
    /// - Complexity: O(pixels), one allocation.
    public func rgba8() -> Data {
        var data = Data(count: size.pixelCount * 4)
        unsafe data.withUnsafeMutableBytes { target in
            unsafe pixels.withUnsafeBytes { source in
                unsafe expand(source, into: target)
            }
        }
        return data
    }

    private func expand(
        _ source: UnsafeRawBufferPointer,
        into target: UnsafeMutableRawBufferPointer
    ) {
        let format = pixelFormat
        let step = format.bytesPerPixel
        switch format {
        case .rgba8:
            unsafe target.copyMemory(from: source)
        case .rgb8, .gray8:
            let (green, blue) = format == .rgb8 ? (1, 2) : (0, 0)
            for pixel in 0..<source.count / step {
                unsafe target[pixel * 4] = source[pixel * step]
                unsafe target[pixel * 4 + 1] = source[pixel * step + green]
                unsafe target[pixel * 4 + 2] = source[pixel * step + blue]
                unsafe target[pixel * 4 + 3] = 255
            }
        case .rgba16, .rgbaF16:
            for pixel in 0..<source.count / step {
                let levels = unsafe deepLevels(source, at: pixel)
                for channel in 0..<4 { unsafe target[pixel * 4 + channel] = levels[channel] }
            }
        }
    }
}
