import CalotypeCore

/// Images by rules simple enough for other languages: hashes of other implementations are pinned in tests.
enum RuledPictures {
    /// Red increases to the right, green downwards, blue the other way; with a yellow spot.
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

    static func solid(_ color: RGBAColor, width: Int, height: Int) -> Image {
        .drawn(width, height, .rgba8) { _, _ in color }
    }

    static func image(_ bytes: [UInt8], width: Int, height: Int, format: PixelFormat) -> Image {
        Image(
            size: PixelSize(width: width, height: height),
            pixelFormat: format,
            pixels: PixelBuffer(byteCount: bytes.count) { $0.copyBytes(from: bytes) }
        )
    }
}
