public import CalotypeCore
public import FoundationEssentials

/// Decodes WebP with libwebp: lossy, lossless, with alpha, and animated.
///
/// The container is read here, the library decodes one picture at a time. A file that is shorter than its
/// header claims is an error, also where all pixels are there; bytes after that are not looked at. An image
/// that is wanted smaller is decoded at a fraction of its size where that loses nothing that would show. A
/// colour profile is converted and the EXIF orientation applied. The canvas of an animation starts
/// transparent: its background colour is left out of account, as browsers do.
///
/// - SeeAlso: RFC 9649, WebP Image Format.
public struct WebPDecoder: ImageDecoder {
    /// Creates a decoder.
    public init() {}

    /// WebP.
    public var formats: [ImageFormat] { [.webP] }

    /// Reads the chunks, without what is in them.
    ///
    /// Of a file that ends early it tells what its start holds, with the frames that are there.
    ///
    /// - Throws: `DecodeError` where a chunk is damaged or the image is beyond the limits.
    public func info(of data: Data, limits: DecodeLimits) throws(DecodeError) -> ImageInfo {
        try limits.checkInput(data, format: .webP)
        return try WebPFile(partOf: data, limits: limits).info
    }

    /// Decodes the image; of an animated one the first frame, with the others to be decoded when they are
    /// asked for.
    ///
    /// - Throws: `DecodeError`; then there are no pixels.
    public func decode(_ data: Data, options: DecodeOptions) throws(DecodeError) -> Image {
        try options.limits.checkInput(data, format: .webP)
        let file = try WebPFile(whole: data, limits: options.limits)
        let plan = file.plan(options)
        let decoded = try unsafe data.bytes.withUnsafeBytes { bytes throws(DecodeError) in
            try unsafe file.firstRaster(in: bytes, plan)
        }
        return try plan.image(from: decoded, format: .webP, frames: try file.sequence(data, plan, decoded))
    }

    /// Decodes a still row by row while its bytes arrive; of an animation it shows the frames that are whole.
    public func makeIncrementalDecoder(
        for format: ImageFormat,
        options: DecodeOptions
    ) -> (any IncrementalDecoder)? {
        WebPIncrementalDecoder(options: options)
    }
}

extension WebPFile {
    /// The picture of a still, or the canvas of the first frame.
    func firstRaster(in bytes: UnsafeRawBufferPointer, _ plan: DecodePlan) throws(DecodeError) -> Raster {
        if let still { return try unsafe decodeStill(still, in: bytes, plan) }
        let color = unsafe colorTransform(bytes, isWanted: plan.options.convertsToSRGB)
        return try unsafe draw(0, over: nil, in: bytes).converted(by: color)
    }

    /// The frames of an animation, where they are wanted, after the first; the file's bytes are copied for
    /// them.
    func sequence(
        _ data: Data,
        _ plan: DecodePlan,
        _ first: Raster,
        isPart: Bool = false
    ) throws(DecodeError) -> FrameSequence? {
        guard frames.count > 1, plan.options.frames == .all else { return nil }
        let convertsToSRGB = plan.options.convertsToSRGB
        // Frames are drawn over colours as they are stored.
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
