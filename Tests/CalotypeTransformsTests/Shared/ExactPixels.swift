import CalotypeCore

extension Image {
    /// An image of one row.
    ///
    /// - Parameter pixels: Pixels with 1, 3 or 4 channels, which determine the pixel format.
    /// - Returns: The image.
    static func row(of pixels: [[UInt8]]) -> Image {
        grid(of: pixels, width: pixels.count)
    }

    /// An image of one or more rows of a width.
    static func grid(of pixels: [[UInt8]], width: Int) -> Image {
        let formats: [Int: PixelFormat] = [1: .gray8, 3: .rgb8, 4: .rgba8]
        let bytes = pixels.flatMap(\.self)
        return Image(
            size: PixelSize(width: width, height: pixels.count / width),
            pixelFormat: formats[pixels[0].count] ?? .rgba8,
            pixels: PixelBuffer(byteCount: bytes.count) { $0.copyBytes(from: bytes) }
        )
    }

    /// The pixels row by row, with the channels of the pixel format.
    var exactPixels: [[UInt8]] {
        let bytes = pixels.withUnsafeBytes { Array($0) }
        let step = pixelFormat.bytesPerPixel
        return stride(from: 0, to: bytes.count, by: step).map { Array(bytes[$0..<$0 + step]) }
    }

    /// The alpha of all pixels.
    var alphas: [UInt8] {
        let bytes = [UInt8](rgba8())
        return stride(from: 3, to: bytes.count, by: 4).map { bytes[$0] }
    }
}
