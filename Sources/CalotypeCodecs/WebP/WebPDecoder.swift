public import CalotypeCore
public import FoundationEssentials

/// Decodes WebP with libwebp: lossy, lossless, with alpha, and animated.
///
/// The container is parsed here, and the library decodes one picture at a time. A file shorter than its
/// header claims is an error, even if all pixels are present; bytes after the claimed end are ignored. For a
/// smaller result, the image is decoded at a fraction of its size if there is no visible loss. A colour
/// profile is converted and the EXIF orientation applied. The canvas of an animation starts transparent: its
/// background colour is ignored, as in browsers.
///
/// - SeeAlso: RFC 9649, WebP Image Format.
public struct WebPDecoder: ImageDecoder {
    /// Creates a decoder.
    public init() {}

    /// WebP.
    public var formats: [ImageFormat] { [.webP] }

    /// Reads the chunks, without their content.
    ///
    /// For a truncated file the result describes its beginning, with the available frames.
    ///
    /// - Throws: `DecodeError` if a chunk is damaged or the image exceeds the limits.
    public func info(of data: Data, limits: DecodeLimits) throws(DecodeError) -> ImageInfo {
        try limits.checkInput(data, format: .webP)
        return try WebPFile(partOf: data, limits: limits).info
    }

    /// Decodes the image; for an animated one the first frame, with the others decoded on demand.
    ///
    /// - Throws: `DecodeError`, without pixels.
    public func decode(_ data: Data, options: DecodeOptions) throws(DecodeError) -> Image {
        try options.limits.checkInput(data, format: .webP)
        let file = try WebPFile(whole: data, limits: options.limits)
        let plan = file.plan(options)
        let decoded = try unsafe data.bytes.withUnsafeBytes { bytes throws(DecodeError) in
            try unsafe file.firstRaster(in: bytes, plan)
        }
        return try plan.image(from: decoded, format: .webP, frames: try file.sequence(data, plan, decoded))
    }

    /// Makes a decoder that shows a still row by row while its bytes arrive, or an animation's complete
    /// frames.
    public func makeIncrementalDecoder(
        for format: ImageFormat,
        options: DecodeOptions
    ) -> (any IncrementalDecoder)? {
        WebPIncrementalDecoder(options: options)
    }
}

extension WebPFile {
    /// Decodes a still, or the canvas of the first frame.
    func firstRaster(in bytes: UnsafeRawBufferPointer, _ plan: DecodePlan) throws(DecodeError) -> Raster {
        if let still { return try unsafe decodeStill(still, in: bytes, plan) }
        let color = unsafe colorTransform(bytes, isWanted: plan.options.convertsToSRGB)
        return try unsafe draw(0, over: nil, in: bytes).converted(by: color)
    }

    /// Returns the frames of an animation, if they are requested, after the first; copies the file's bytes
    /// for them.
    func sequence(
        _ data: Data,
        _ plan: DecodePlan,
        _ first: Raster,
        isPart: Bool = false
    ) throws(DecodeError) -> FrameSequence? {
        guard frames.count > 1, plan.options.frames == .all else { return nil }
        let convertsToSRGB = plan.options.convertsToSRGB
        // Frames are composited over colours as stored.
        let isConverted = convertsToSRGB && profile != nil
        let canvas = isConverted ? nil : DecodedCanvas(first)
        return FrameSequence(
            schedule: isPart ? schedule.ofPart : schedule,
            plan: plan,
            format: .webP,
            bytes: try EncodedBytes(data),
            makeReader: { WebPFrameReader(self, $0, first: canvas, convertsToSRGB: convertsToSRGB) }
        )
    }
}
