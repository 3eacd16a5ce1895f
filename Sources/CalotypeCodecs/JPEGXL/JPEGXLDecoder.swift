import CCodecs
public import CalotypeCore
public import FoundationEssentials

/// Decodes JPEG XL with libjxl: bare codestreams and containers, stills and animations, of any depth.
///
/// More than 8 bits and floating point are rounded to 8 bits unless depth is kept. Alpha that is multiplied
/// in is divided out; black ink is mixed with the colours beside it; other extra channels are left out. A
/// recompressed JPEG is decoded to pixels. A named colour space or an attached profile is converted to sRGB;
/// where that is declined the pixels stay in the file's colours, or come in linear light where they are
/// stored as XYB under an attached profile.
///
/// - SeeAlso: ISO/IEC 18181-1 and 18181-2.
public struct JPEGXLDecoder: ImageDecoder {
    /// Creates a decoder.
    public init() {}

    /// JPEG XL.
    public var formats: [ImageFormat] { [.jpegXL] }

    /// False.
    ///
    /// The frames that a file has, hidden ones too, are counted before they are decoded, but what is done
    /// within a frame is libjxl's affair: a few bytes may ask for some hundred passes over its pixels, and
    /// where memory is refused to libjxl it ends the process.
    public var isBounded: Bool { false }

    /// Reads the header and the heads of all frames, which takes a hundredth of a decode or less.
    ///
    /// - Throws: `DecodeError` where they are damaged or missing, or the image is beyond the limits.
    public func info(of data: Data, limits: DecodeLimits) throws(DecodeError) -> ImageInfo {
        try limits.checkInput(data, format: .jpegXL)
        var layers = JPEGXLLayers(limits: limits)
        let header = try layers.read(JPEGXLCodestream.bytes(of: data))
        let schedule = layers.schedule
        return ImageInfo(
            format: .jpegXL,
            size: header.size,
            orientation: header.storedOrientation,
            frameCount: schedule?.durations.count ?? 1,
            loopCount: schedule?.loopCount,
            animationDuration: (schedule?.durations).map(Duration.animation),
            hasAlpha: header.has_alpha != 0,
            hasColorProfile: header.has_profile != 0,
            bitDepth: Int(header.bit_depth),
            dynamicRange: DynamicRange(transfer: header.transfer),
            pixelFormat: header.pixelFormat
        )
    }

    /// Decodes the image; of an animation the first frame, the others when they are asked for.
    ///
    /// That bytes of an animation's last frame are missing is told when that is asked for.
    ///
    /// - Throws: `DecodeError`; then there are no pixels.
    public func decode(_ data: Data, options: DecodeOptions) throws(DecodeError) -> Image {
        try options.limits.checkInput(data, format: .jpegXL)
        let codestream = try JPEGXLCodestream.bytes(of: data)
        var layers = JPEGXLLayers(limits: options.limits)
        try layers.read(codestream)
        let reader = try JPEGXLReader(options)
        let (first, plan) = try unsafe codestream.bytes.withUnsafeBytes { bytes throws(DecodeError) in
            // With the layout that the options ask for.
            let own = try unsafe reader.readHeader(bytes)
            let plan = DecodePlan(own, reader, schedule: layers.schedule, options: options)
            return (try unsafe reader.readFrame(bytes, own), plan)
        }
        return try plan.image(from: first, schedule: layers.schedule, of: codestream)
    }

    /// A decoder that shows a coarse picture early, where the file has one.
    public func makeIncrementalDecoder(
        for format: ImageFormat,
        options: DecodeOptions
    ) -> (any IncrementalDecoder)? {
        guard format == .jpegXL else { return nil }
        return StoredDepthDecoder.wrapping(self, options) { JPEGXLIncrementalDecoder(options: $0) }
    }
}

extension DecodePlan {
    /// The plan for a file whose layers have been read.
    init(
        _ header: cc_jxl_header,
        _ reader: borrowing JPEGXLReader,
        schedule: FrameSchedule?,
        options: DecodeOptions
    ) {
        self.init(
            header.size,
            orientation: header.storedOrientation,
            hasColorProfile: header.has_profile != 0,
            frameCount: options.frames == .all ? schedule?.durations.count ?? 1 : 1,
            colorSpace: options.convertsToSRGB ? .sRGB : reader.colorSpace(header),
            isDeep: header.pixelFormat.isDeep,
            options: options
        )
    }

    /// The image that was asked for, out of its first frame; the codestream is kept where there are more.
    func image(
        from first: Raster,
        schedule: FrameSchedule?,
        of codestream: Data
    ) throws(DecodeError) -> Image {
        guard let schedule, options.frames == .all else { return try image(from: first, format: .jpegXL) }
        let options = options
        let frames = FrameSequence(
            schedule: schedule,
            plan: self,
            format: .jpegXL,
            bytes: try EncodedBytes(codestream)
        ) { bytes throws(DecodeError) in try JPEGXLFrameReader(bytes, options: options) }
        return try image(from: first, format: .jpegXL, frames: frames)
    }
}
