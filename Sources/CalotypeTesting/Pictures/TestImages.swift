public import CalotypeCore

/// Generated images: equal arguments give equal pixels, on every machine.
public enum TestImages {
    /// Returns an image similar to a photograph: a fading sky, soft clouds, hard-edged shapes, grain.
    ///
    /// With `rgba8` the alpha fades from left to right, and the shapes are opaque.
    public static func photograph(_ size: PixelSize, format: PixelFormat = .rgb8, seed: UInt64 = 1) -> Image {
        var random = SeededGenerator(seed: seed)
        let scene = Scene(size, &random)
        return image(size, format) { x, y in
            scene.pixel(x, y, grain: Int(truncatingIfNeeded: random.next() & 7) - 4)
        }
    }

    /// Returns a disc of one colour with a smooth edge, on transparent black pixels.
    public static func disc(_ size: PixelSize, color: RGBColor) -> Image {
        let (centerX, centerY) = (Double(size.width) / 2, Double(size.height) / 2)
        let radius = min(centerX, centerY) * 0.8
        return image(size, .rgba8) { x, y in
            let (dx, dy) = (Double(x) + 0.5 - centerX, Double(y) + 0.5 - centerY)
            let inside = min(1, max(0, radius + 0.5 - (dx * dx + dy * dy).squareRoot()))
            let alpha = UInt8((inside * 255).rounded())
            guard alpha > 0 else { return Pixel(red: 0, green: 0, blue: 0, alpha: 0) }
            return Pixel(red: color.red, green: color.green, blue: color.blue, alpha: alpha)
        }
    }

    /// Returns an image whose pixels all differ from their neighbours and which has no symmetry.
    public static func asymmetric(_ size: PixelSize, format: PixelFormat = .rgb8) -> Image {
        image(size, format) { x, y in
            let index = y * size.width + x
            return Pixel(
                red: UInt8(truncatingIfNeeded: index * 7 + 3),
                green: UInt8(truncatingIfNeeded: x * 31 + 5),
                blue: UInt8(truncatingIfNeeded: y * 17 + 11),
                alpha: UInt8(truncatingIfNeeded: 255 - index)
            )
        }
    }

    /// The colours of a pixel.
    struct Pixel {
        var red, green, blue, alpha: UInt8

        /// The levels in 16 bits.
        var words: [UInt16] { [red, green, blue, alpha].map { UInt16($0) * 257 } }
    }

    /// Creates an image pixel by pixel, row by row.
    static func image(_ size: PixelSize, _ format: PixelFormat, _ pixel: (Int, Int) -> Pixel) -> Image {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(size.pixelCount * format.bytesPerPixel)
        for y in 0..<size.height {
            for x in 0..<size.width {
                let value = pixel(x, y)
                switch format {
                case .gray8: bytes.append(value.green)
                case .rgb8: bytes += [value.red, value.green, value.blue]
                case .rgba8: bytes += [value.red, value.green, value.blue, value.alpha]
                case .rgba16:
                    bytes += value.words.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8($0 >> 8)] }
                case .rgbaF16:
                    let halves = value.words.map { Float16(Float($0) / 65_535).bitPattern }
                    bytes += halves.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8($0 >> 8)] }
                }
            }
        }
        let pixels = PixelBuffer(byteCount: bytes.count) { $0.copyBytes(from: bytes) }
        return Image(size: size, pixelFormat: format, pixels: pixels)
    }
}
