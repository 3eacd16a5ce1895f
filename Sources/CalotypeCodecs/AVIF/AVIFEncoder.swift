import CCodecs
public import CalotypeCore
public import FoundationEssentials

/// Encodes AVIF with libavif and libaom, in one thread: stills and animations, with alpha, without
/// metadata but whose the picture is, on request.
///
/// Images of more than 8 bits a channel are written with 10 bits or 12; a colour space that is not sRGB is
/// written with them. Gray stays gray; alpha that is opaque everywhere is left out. With a `byteCountMax` the
/// quality is lowered, down to 0, to the highest that fits. An animation plays as often as the image says.
public struct AVIFEncoder: ImageEncoder {
    /// How many chroma samples are kept.
    public enum ChromaSubsampling: String, Hashable, Sendable, CaseIterable {
        /// 4:2:0, below quality 90; 4:4:4 from there on, and where nothing is lost.
        case automatic
        /// A chroma sample for each pixel.
        case yuv444
        /// Half of them across.
        case yuv422
        /// Half of them across and down.
        case yuv420
    }

    // What libavif's own tool has: a photograph looks as it does in JPEG at 85, at about half the bytes.
    /// 0...100; 60 unless set.
    ///
    /// Spread evenly over the quantizers of AV1, 63...0.
    public var quality: Int

    /// Whether every pixel is kept as it is, whatever the quality and the chroma; false unless set.
    public var isLossless: Bool

    /// 0, slowest and smallest, to 10, fastest, on the scale of libavif; 6 unless set.
    public var speed: Int

    /// How many chroma samples are kept; automatic unless set.
    public var chromaSubsampling: ChromaSubsampling

    /// Bits a channel of images that have more than 8: 10 or 12; 10 unless set.
    ///
    /// Those of 8 bits stay what they are. Fewer players show 12 than 10.
    public var deepBitDepth = 10

    /// The settings that all encoders share.
    public var options: EncodeOptions

    /// Creates an encoder; each default is stated at its property.
    ///
    /// - Parameters:
    ///   - quality: 0...100.
    ///   - isLossless: Whether every pixel is kept as it is.
    ///   - speed: 0...10.
    ///   - chromaSubsampling: How many chroma samples are kept.
    ///   - options: The settings that all encoders share.
    public init(
        quality: Int = 60,
        isLossless: Bool = false,
        speed: Int = 6,
        chromaSubsampling: ChromaSubsampling = .automatic,
        options: EncodeOptions = EncodeOptions()
    ) {
        self.quality = quality
        self.isLossless = isLossless
        self.speed = speed
        self.chromaSubsampling = chromaSubsampling
        self.options = options
    }

    /// AVIF.
    public var format: ImageFormat { .avif }

    /// `avif2(…)` with each property.
    public var cacheIdentity: String {
        let own = "q=\(quality),lossless=\(isLossless ? 1 : 0),speed=\(speed),chroma=\(chromaSubsampling)"
        let depth = deepBitDepth == 10 ? "" : "depth=\(deepBitDepth),"
        return "avif2(\(own),\(depth)\(options.cacheIdentity))"
    }

    /// The longest side of a frame of AV1, in pixels.
    private static let sideMax = 65_536

    /// Encodes an image, or all frames of an animated one.
    ///
    /// - Throws: ``EncodeError`` with `invalidParameter` where a setting is beyond its range,
    ///   `unsupportedFeature` where a side is longer than 65,536 pixels, `limitExceeded` where nothing is
    ///   within `byteCountMax`, and `undecodableFrame` where a frame of the animation cannot be decoded.
    public func encode(_ image: Image) throws(EncodeError) -> Data {
        try checkSettings()
        guard max(image.size.width, image.size.height) <= Self.sideMax else {
            throw EncodeError(
                .unsupportedFeature,
                format: .avif,
                detail: "\(image.size) pixels; a side of an AVIF has at most \(Self.sideMax)"
            )
        }
        let lowest = isLossless ? quality : 0
        return try options.highestFitting(lowest...quality, of: image.size, format: .avif) {
            quality throws(EncodeError) in
            try encode(image, quality: quality)
        }
    }

    /// Refuses settings that the format does not have.
    private func checkSettings() throws(EncodeError) {
        try EncodeError.check(quality, in: 0...100, "quality", format)
        try EncodeError.check(speed, in: 0...10, "speed", format)
        guard [10, 12].contains(deepBitDepth) else {
            throw EncodeError(
                .invalidParameter,
                format: format,
                detail: "deepBitDepth is 10 or 12, not \(deepBitDepth)"
            )
        }
    }

    /// The bytes at a quality, or `nil` where they are more than `byteCountMax`.
    private func encode(_ image: Image, quality: Int) throws(EncodeError) -> Data? {
        let animation = options.animation(of: image)
        let exif = options.exif(of: image)
        let writer = try AVIFWriter(encoding(quality: quality, loopCount: animation?.loopCount))
        if let animation {
            try options.forEachFrame(of: animation, for: .avif, deepest: .rgba16) {
                frame,
                duration throws(EncodeError) in
                try writer.add(frame, exif: exif, duration: duration)
            }
        } else {
            let still = try options.resized(image, for: .avif, deepest: .rgba16)
            try writer.add(still, exif: exif, duration: .zero)
        }
        let file = try writer.finish(isLimited: options.byteCountMax != nil)
        guard let animation, cc_avif_writes_play_count() == 0 else { return file }
        return file.map { AVIFEditList.adding(animation.loopCount, to: $0) }
    }

    /// The settings as C takes them; the loop count is `nil` for a still.
    private func encoding(quality: Int, loopCount: LoopCount?) -> cc_avif_encoding {
        var plays: UInt32 = 0
        if case .times(let count)? = loopCount { plays = UInt32(count, orEndlessBeyond: .max) }
        let editsByteCount = plays == 0 ? 0 : AVIFEditList.byteCountMax
        let byteCountMax = options.outputByteCountMax
        return cc_avif_encoding(
            quantizer: Int32(((100 - quality) * 63 + 50) / 100),
            speed: Int32(speed),
            chroma: chroma(quality: quality),
            is_lossless: isLossless ? 1 : 0,
            is_still: loopCount == nil ? 1 : 0,
            bit_depth: Int32(deepBitDepth),
            play_count: plays,
            byte_count_max: byteCountMax - min(byteCountMax, editsByteCount)
        )
    }

    private func chroma(quality: Int) -> cc_avif_chroma {
        switch chromaSubsampling {
        case .automatic: quality < 90 ? .halved : .full
        case .yuv444: .full
        case .yuv422: .halved_across
        case .yuv420: .halved
        }
    }
}

extension AVIFEncoder {
    /// The same encoder with other settings.
    ///
    /// - Throws: ``EncodeError`` with `invalidParameter` where a setting is beyond its range, and with
    ///   `unsupportedFeature` where the result is to be progressive.
    public func adjusted(by adjustment: EncodeAdjustment) throws(EncodeError) -> AVIFEncoder {
        try adjustment.check(for: format)
        var adjusted = self
        adjusted.quality = adjustment.quality ?? quality
        adjusted.isLossless = adjustment.isLossless || isLossless
        adjusted.speed = adjustment.effort(from: 10, to: 0, else: speed)
        adjusted.options = options.adjusted(by: adjustment)
        try adjusted.checkSettings()
        return adjusted
    }
}
