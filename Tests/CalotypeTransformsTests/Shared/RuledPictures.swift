import CalotypeCore

/// Pictures by a rule so simple that other languages can draw them: their hashes by other implementations are
/// pinned in tests.
enum RuledPictures {
    /// Red grows to the right, green downwards, blue the other way; there is a yellow spot.
    static func gradient(width: Int, height: Int, hasAlpha: Bool = false) -> Image {
        var bytes: [UInt8] = []
        for y in 0..<height {
            for x in 0..<width {
                let isSpot = (x - 30) * (x - 30) + (y - 10) * (y - 10) < 64
                bytes += isSpot ? [250, 240, 20] : [UInt8(x * 5), UInt8(y * 7), UInt8(255 - x * 2 - y * 3)]
                if hasAlpha { bytes.append(UInt8(255 - x * 3 - y * 2 - x * y / 60)) }
            }
        }
        return image(bytes, width: width, height: height, format: hasAlpha ? .rgba8 : .rgb8)
    }

    /// One colour everywhere.
    static func solid(_ color: RGBAColor, width: Int, height: Int) -> Image {
        let pixel = [color.red, color.green, color.blue, color.alpha]
        let bytes = (0..<width * height).flatMap { _ in pixel }
        return image(bytes, width: width, height: height, format: .rgba8)
    }

    static func image(_ bytes: [UInt8], width: Int, height: Int, format: PixelFormat) -> Image {
        Image(
            size: PixelSize(width: width, height: height),
            pixelFormat: format,
            pixels: PixelBuffer(byteCount: bytes.count) { $0.copyBytes(from: bytes) }
        )
    }
}

extension Image {
    /// The pixels row by row, as red, green, blue and alpha.
    func pixelList() -> [[UInt8]] {
        let bytes = [UInt8](rgba8())
        return stride(from: 0, to: bytes.count, by: 4).map { Array(bytes[$0..<$0 + 4]) }
    }
}
