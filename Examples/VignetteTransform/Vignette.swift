import CalotypeCore
import CalotypeTransforms

/// Darkens an image towards its corners: a transform of one's own, as a package that depends on Calotype
/// would write it.
///
/// The centre stays as it is; what is see-through stays so.
struct Vignette: ImageTransform {
    /// How much of the light is gone in the corners, 0...1.
    let strength: Double

    /// The name with a version, and every property, written so that it can be read back exactly.
    ///
    /// The version goes up when the same strength gives other pixels than before.
    var cacheIdentity: String { "vignette-1(strength=\(strength))" }

    /// Checks the strength, before anything is loaded.
    func validate() throws {
        guard (0...1).contains(strength) else {
            throw TransformError(
                .invalidParameter,
                detail: "a vignette of strength \(strength); it is 0...1"
            )
        }
    }

    /// Multiplies the colours of each pixel; the result keeps the scale, the format and the metadata.
    func apply(to image: Image) throws -> Image {
        try validate()
        let source = image.pixels
        let pixels = PixelBuffer(byteCount: source.byteCount) { result in
            source.withUnsafeBytes { darken($0, of: image, into: result) }
        }
        return Image(
            size: image.size,
            pixelFormat: image.pixelFormat,
            pixels: pixels,
            scale: image.scale,
            format: image.format,
            metadata: image.metadata
        )
    }

    private func darken(
        _ source: UnsafeRawBufferPointer,
        of image: Image,
        into result: UnsafeMutableRawBufferPointer
    ) {
        let (width, height) = (image.size.width, image.size.height)
        let bytesPerPixel = image.pixelFormat.bytesPerPixel
        let colorCount = image.pixelFormat == .rgba8 ? 3 : bytesPerPixel
        for y in 0..<height {
            for x in 0..<width {
                let start = (y * width + x) * bytesPerPixel
                let light = light(Self.fromCenter(x, of: width), Self.fromCenter(y, of: height))
                for byte in start..<start + colorCount {
                    result[byte] = UInt8((Double(source[byte]) * light).rounded())
                }
                // Alpha is no colour: it is not changed.
                for byte in start + colorCount..<start + bytesPerPixel { result[byte] = source[byte] }
            }
        }
    }

    /// Where the middle of a pixel lies: 0 in the centre, about 1 at the edges.
    private static func fromCenter(_ position: Int, of count: Int) -> Double {
        abs(2 * (Double(position) + 0.5) / Double(count) - 1)
    }

    /// The share of the light that is left; falls with the square of the distance.
    private func light(_ x: Double, _ y: Double) -> Double {
        1 - strength * (x * x + y * y) / 2
    }
}

extension TransformChain {
    /// Darkens towards the corners.
    ///
    /// - Parameter strength: How much of the light is gone in the corners, 0...1.
    /// - Returns: The transform, which throws `TransformError` for another strength.
    public static func vignette(strength: Double) -> TransformChain {
        // Both zeros are one strength, and equal transforms have one key.
        TransformChain(Vignette(strength: strength == 0 ? 0 : strength))
    }
}
