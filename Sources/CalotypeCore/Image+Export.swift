public import FoundationEssentials

extension Image {
    /// The pixels as red, green, blue, alpha: `width × height × 4` bytes, row 0 on top, alpha not multiplied.
    ///
    /// - Complexity: O(pixels), one allocation.
    public func rgba8() -> Data {
        var data = Data(count: size.pixelCount * 4)
        unsafe data.withUnsafeMutableBytes { target in
            unsafe pixels.withUnsafeBytes { source in
                unsafe Self.expand(source, pixelFormat, into: target)
            }
        }
        return data
    }

    private static func expand(
        _ source: UnsafeRawBufferPointer,
        _ format: PixelFormat,
        into target: UnsafeMutableRawBufferPointer
    ) {
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
        }
    }
}
