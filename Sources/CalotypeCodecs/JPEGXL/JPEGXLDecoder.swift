import CCodecs
public import CalotypeCore
public import FoundationEssentials

/// Decodes JPEG XL with libjxl: bare codestreams and containers, stills and animations, of any depth.
///
/// More than 8 bits and floating point are rounded to 8 bits unless depth is retained. Premultiplied alpha is
/// divided out; black ink is mixed with the other colours; further extra channels are ignored. A recompressed
/// JPEG is decoded to pixels. A named colour space or an attached profile is converted to sRGB; without
/// conversion the pixels stay in the file's colours, or in linear light if they are stored as XYB with an
/// attached profile.
///
/// - SeeAlso: ISO/IEC 18181-1 and 18181-2.
public struct JPEGXLDecoder: ImageDecoder {
    /// Creates a decoder.
    public init() {}

    /// JPEG XL.
    public var formats: [ImageFormat] { [.jpegXL] }

    /// False.
    ///
    /// All frames of a file, including hidden ones, are counted before they are decoded. The work within a
    /// frame, however, is not bounded: a few bytes can cause hundreds of passes over its pixels, and libjxl
    /// ends the process if an allocation fails.
    public var isBounded: Bool { false }

    /// Reads the headers of the file and of all frames, which takes at most a hundredth of a decode.
    ///
    /// - Throws: `DecodeError` if they are damaged or missing, or the image exceeds the limits.
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

    /// Decodes the image; for an animation the first frame, with the others decoded on demand.
    ///
    /// Missing bytes of an animation's last frame are reported only when that frame is decoded.
    ///
    /// - Throws: `DecodeError`, without pixels.
    public func decode(_ data: Data, options: DecodeOptions) throws(DecodeError) -> Image {
        try options.limits.checkInput(data, format: .jpegXL)
        let codestream = try JPEGXLCodestream.bytes(of: data)
        var layers = JPEGXLLayers(limits: options.limits)
        try layers.read(codestream)
        let reader = try JPEGXLReader(options)
        let (first, plan) = try unsafe codestream.bytes.withUnsafeBytes { bytes throws(DecodeError) in
            // In the layout requested by the options.
            let own = try unsafe reader.readHeader(bytes)
            let plan = DecodePlan(own, reader, schedule: layers.schedule, options: options)
            return (try unsafe reader.readFrame(bytes, own), plan)
        }
        return try plan.image(from: first, schedule: layers.schedule, of: codestream)
    }

    /// Makes a decoder that shows a coarse preview early, if the file contains one.
    public func makeIncrementalDecoder(
        for format: ImageFormat,
        options: DecodeOptions
    ) -> (any IncrementalDecoder)? {
        guard format == .jpegXL else { return nil }
        return StoredDepthDecoder.wrapping(self, options) { JPEGXLIncrementalDecoder(options: $0) }
    }
}

extension DecodePlan {
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

    /// Creates the requested image from its first frame; retains the codestream for further frames.
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
