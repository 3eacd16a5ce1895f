import CalotypeCodecs
import CalotypeCore

/// The input of a placeholder: a small copy of an image, its channels as numbers.
struct PlaceholderSource {
    /// The longest side in pixels; a placeholder cannot contain more detail.
    static let maxSide = 100

    let size: PixelSize

    /// Red, green, blue and alpha of each pixel, 0...1, by rows, composited over the average colour.
    let pixels: [SIMD4<Double>]

    /// Creates the copy.
    ///
    /// - Parameters:
    ///   - image: The image, or an animation's first frame.
    ///   - decode: Converts a level to a number.
    /// - Throws: ``TransformError``.
    init(_ image: Image, decoding decode: (UInt8) -> Double) throws(TransformError) {
        let box = PixelBox(width: Self.maxSide, height: Self.maxSide)
        do {
            // Hashes are stored by programs, and stay the same.
            let small = try Self.standard(
                Resampler.resize(image, to: box.fitting(image.size), light: .encoded)
            )
            size = small.size
            pixels = Self.filled(Self.read(small, (0...255).map(decode)))
        } catch {
            throw TransformError(error)
        }
    }

    /// Placeholders are sRGB.
    private static func standard(_ image: Image) throws(CodecFailure) -> Image {
        do throws(DecodeError) {
            return try image.convertedToStandard()
        } catch {
            throw .outOfMemory(byteCount: image.pixels.byteCount)
        }
    }

    private static func read(_ image: Image, _ values: [Double]) -> [SIMD4<Double>] {
        let step = image.pixelFormat.bytesPerPixel
        let (green, blue) = step == 1 ? (0, 0) : (1, 2)
        return image.pixels.withUnsafeBytes { bytes in
            stride(from: 0, to: bytes.count, by: step).map { start in
                SIMD4(
                    values[Int(bytes[start])],
                    values[Int(bytes[start + green])],
                    values[Int(bytes[start + blue])],
                    step == 4 ? Double(bytes[start + 3]) / 255 : 1
                )
            }
        }
    }

    /// Composites all pixels over the average colour, weighted by alpha.
    private static func filled(_ pixels: [SIMD4<Double>]) -> [SIMD4<Double>] {
        let covered = pixels.reduce(0) { $0 + $1.w }
        guard covered > 0 else { return pixels.map { _ in .zero } }
        var average = pixels.reduce(.zero) { $0 + $1 * $1.w } / covered
        average.w = 0
        return pixels.map { pixel in
            var mixed = average * (1 - pixel.w) + pixel * pixel.w
            mixed.w = pixel.w
            return mixed
        }
    }
}
