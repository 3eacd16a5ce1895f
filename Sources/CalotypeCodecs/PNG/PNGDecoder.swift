public import CalotypeCore
public import FoundationEssentials

/// Decodes PNG: all colour types, bit depths and interlacing, and animations (APNG).
///
/// libpng reads the file; the pixels of simple files, with 8 bits a channel and not interlaced, are inflated
/// by libdeflate in half the time. Files with any irregularity are left to libpng.
///
/// A default image that is not a frame of the animation is the image, whose animation then has other pixels;
/// an animation of one frame is a still. Invalid animation chunks are an error, unless only the first frame
/// is requested. 16 bits are rounded to 8 unless a still has to retain its depth; palettes and transparent
/// colours are resolved. An embedded profile or the code points of cICP are converted, and so is gAMA if it
/// is the only colour information and differs from sRGB. cHRM is ignored: without a profile the primaries are
/// those of sRGB. A wrong checksum of critical data or a missing end is an error.
///
/// - SeeAlso: PNG (third edition), W3C.
public struct PNGDecoder: ImageDecoder {
    /// Creates a decoder.
    public init() {}

    /// For tests, which compare the paths.
    package var path = PNGPath.either

    /// PNG, with APNG.
    public var formats: [ImageFormat] { [.png] }

    /// Reads the chunks before the pixels, and the frame headers of an animation.
    ///
    /// - Throws: `DecodeError` if the header is damaged or the image exceeds the limits.
    public func info(of data: Data, limits: DecodeLimits) throws(DecodeError) -> ImageInfo {
        try limits.checkInput(data, format: .png)
        return try unsafe data.bytes.withUnsafeBytes { bytes throws(DecodeError) in
            let reader = try unsafe PNGReader(bytes)
            let side = try PNGSideInfo(data, canvas: reader.size, limits: limits)
            return ImageInfo(
                format: .png,
                size: reader.size,
                orientation: side.exif.orientation ?? .up,
                frameCount: side.frameCount,
                loopCount: side.loopCount,
                animationDuration: side.duration,
                hasAlpha: reader.hasAlpha,
                hasColorProfile: reader.hasColorProfile,
                bitDepth: reader.bitDepth,
                dynamicRange: reader.dynamicRange,
                pixelFormat: side.imageFormat(still: reader.pixelFormat, canvas: reader.size)
            )
        }
    }

    /// Decodes the default image; the other frames of an animation are decoded on demand.
    ///
    /// - Throws: `DecodeError`, without pixels.
    public func decode(_ data: Data, options: DecodeOptions) throws(DecodeError) -> Image {
        try options.limits.checkInput(data, format: .png)
        return try unsafe data.bytes.withUnsafeBytes { bytes throws(DecodeError) in
            let reader = try unsafe PNGReader(bytes, keepsDepth: Self.keepsDepth(of: data, options))
            let plan = try unsafe PNGPlan(data, header: reader.header, options: options)
            return try plan.image(
                from: reader.decode(as: plan.pixelFormat, options: options, path: path),
                of: data
            )
        }
    }

    /// Frames of an animation are composited at 8 bits.
    private static func keepsDepth(of data: Data, _ options: DecodeOptions) throws(DecodeError) -> Bool {
        guard options.keepsDepth, options.frames == .all else { return options.keepsDepth }
        // Any size will do: the real one is checked with the header.
        let side = try PNGSideInfo(data, canvas: PixelSize(width: 1, height: 1), limits: options.limits)
        return side.frameCount == 1
    }

    /// Makes a decoder for bytes that are still arriving: it shows rows and passes as they arrive.
    public func makeIncrementalDecoder(
        for format: ImageFormat,
        options: DecodeOptions
    ) -> (any IncrementalDecoder)? {
        StoredDepthDecoder.wrapping(self, options) { PNGIncrementalDecoder(options: $0) }
    }
}
