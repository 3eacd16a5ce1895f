public import CalotypeCore
public import FoundationEssentials

/// Decodes PNG: all colour types, bit depths and interlacing, and animations (APNG).
///
/// libpng reads the file; the pixels of plain ones, 8 bits a channel and not interlaced, are inflated by
/// libdeflate, which takes half as long. Whatever is not in order there is left to libpng.
///
/// A default image that is no frame of the animation is the image, whose animation then has other pixels; an
/// animation of one frame is a still. Where the chunks of an animation break the rules, that is an error, but
/// the first frame alone is decoded. 16 bits are rounded to 8 unless a still is to keep its depth, palettes
/// and transparent colours are resolved. An embedded profile, or the code points of cICP, are converted, and
/// gAMA where it stands alone and is not that of sRGB; cHRM is not read: without a profile the primaries are
/// taken for those of sRGB. A wrong check sum of critical data or a missing end is an error.
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
    /// - Throws: `DecodeError` where the header is damaged or the image is beyond the limits.
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

    /// Decodes the default image; the other frames of an animation when they are asked for.
    ///
    /// - Throws: `DecodeError`; then there are no pixels.
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

    /// Frames of an animation are drawn at 8 bits.
    private static func keepsDepth(of data: Data, _ options: DecodeOptions) throws(DecodeError) -> Bool {
        guard options.keepsDepth, options.frames == .all else { return options.keepsDepth }
        // The size does not count: it is checked with the header.
        let side = try PNGSideInfo(data, canvas: PixelSize(width: 1, height: 1), limits: options.limits)
        return side.frameCount == 1
    }

    /// A decoder for bytes that are still arriving: rows and passes as they come.
    public func makeIncrementalDecoder(
        for format: ImageFormat,
        options: DecodeOptions
    ) -> (any IncrementalDecoder)? {
        StoredDepthDecoder.wrapping(self, options) { PNGIncrementalDecoder(options: $0) }
    }
}
