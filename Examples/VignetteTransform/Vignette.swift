import CalotypeCore
import CalotypeTransforms

/// Darkens an image towards its corners: an example of a transform in a package that depends on Calotype.
///
/// The centre and the alpha channel stay unchanged.
struct Vignette: ImageTransform {
    /// The fraction of light removed in the corners, 0...1.
    let strength: Double

    /// The name with a version, and every property in a lossless format.
    ///
    /// Raise the version when the same strength gives different pixels.
    var cacheIdentity: String { "vignette-1(strength=\(strength))" }

    /// Validates the strength before anything is loaded.
    func validate() throws {
        guard (0...1).contains(strength) else {
            throw TransformError(
                .invalidParameter,
                detail: "vignette strength \(strength) is out of range; use 0...1"
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
                // Alpha is not a colour and stays unchanged.
                for byte in start + colorCount..<start + bytesPerPixel { result[byte] = source[byte] }
            }
        }
    }

    /// Returns the position of a pixel's middle: 0 in the centre, about 1 at the edges.
    private static func fromCenter(_ position: Int, of count: Int) -> Double {
        abs(2 * (Double(position) + 0.5) / Double(count) - 1)
    }

    /// Returns the fraction of light that remains; it falls with the square of the distance.
    private func light(_ x: Double, _ y: Double) -> Double {
        1 - strength * (x * x + y * y) / 2
    }
}

extension TransformChain {
    /// Returns a transform that darkens an image towards its corners.
    ///
    /// - Parameter strength: The fraction of light removed in the corners, 0...1.
    /// - Returns: The transform, which throws `TransformError` for another strength.
    public static func vignette(strength: Double) -> TransformChain {
        // -0 becomes 0: equal transforms must have the same key.
        TransformChain(Vignette(strength: strength == 0 ? 0 : strength))
    }
}
