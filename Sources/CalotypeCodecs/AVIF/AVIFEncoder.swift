import CCodecs
public import CalotypeCore
public import FoundationEssentials

/// Encodes AVIF with libavif and libaom, in one thread: stills and animations, with alpha.
///
/// Metadata is written on request. Images of more than 8 bits a channel are written
/// with 10 or 12 bits, and with their colour space if it is not sRGB. Gray stays gray; a fully opaque alpha
/// channel is omitted. With a `maxByteCount` the quality is lowered, down to 0, to the highest that fits. The
/// loop count of an animation is that of the image.
public struct AVIFEncoder: ImageEncoder, Codable {
    /// The resolution of the chroma samples.
    public enum ChromaSubsampling: String, Hashable, Sendable, Codable, CaseIterable {
        /// 4:2:0 below quality 90; 4:4:4 from there on, and for lossless.
        case automatic
        /// One chroma sample for each pixel.
        case yuv444
        /// Half the chroma samples horizontally.
        case yuv422
        /// Half the chroma samples horizontally and vertically.
        case yuv420
    }

    // The default of libavif's own tool: a photograph looks like JPEG at 85, at about half the bytes.
    /// 0...100; 60 by default.
    ///
    /// Mapped evenly to the quantizers of AV1, 63...0.
    public var quality: Int

    /// Whether every pixel is preserved, regardless of quality and chroma; false by default.
    public var isLossless: Bool

    /// 0, slowest and smallest, to 10, fastest, on the scale of libavif; 6 by default.
    public var speed: Int

    /// The resolution of the chroma samples; automatic by default.
    public var chromaSubsampling: ChromaSubsampling

    /// Bits a channel for images that have more than 8: 10 or 12; 10 by default.
    ///
    /// Images of 8 bits are not affected. Fewer players support 12 bits than 10.
    public var deepBitDepth = 10

    /// The settings shared by all encoders.
    public var options: EncodeOptions

    /// Creates an encoder; the defaults are stated at the properties.
    ///
    /// - Parameters:
    ///   - quality: 0...100.
    ///   - isLossless: True to preserve every pixel.
    ///   - speed: 0...10.
    ///   - chromaSubsampling: The resolution of the chroma samples.
    ///   - options: The settings shared by all encoders.
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

    /// The maximum side of a frame of AV1, in pixels.
    private static let maxSide = 65_536

    /// Encodes an image, or all frames of an animated one.
    ///
    /// - Throws: ``EncodeError`` with `invalidParameter` if a setting is out of range, `unsupportedFeature`
    ///   if a side is longer than 65,536 pixels, `limitExceeded` if no quality fits `maxByteCount`, and
    ///   `undecodableFrame` if a frame of the animation cannot be decoded.
    public func encode(_ image: Image) throws(EncodeError) -> Data {
        try checkSettings()
        try EncodeError.checkSides(of: image, atMost: Self.maxSide, in: "an AVIF", format)
        let lowest = isLossless ? quality : 0
        return try options.highestFitting(lowest...quality, of: image.size, format: .avif) {
            quality throws(EncodeError) in
            try encode(image, quality: quality)
        }
    }

    private func checkSettings() throws(EncodeError) {
        try EncodeError.check(quality, in: 0...100, "quality", format)
        try EncodeError.check(speed, in: 0...10, "speed", format)
        guard [10, 12].contains(deepBitDepth) else {
            throw EncodeError(
                .invalidParameter,
                format: format,
                detail: "deepBitDepth \(deepBitDepth) is not supported; use 10 or 12"
            )
        }
    }

    /// Encodes at a quality; `nil` if the result exceeds `maxByteCount`.
    private func encode(_ image: Image, quality: Int) throws(EncodeError) -> Data? {
        let animation = options.animation(of: image)
        let blocks = options.blocks(of: image)
        let writer = try AVIFWriter(encoding(quality: quality, loopCount: animation?.loopCount))
        if let animation {
            try options.forEachFrame(of: animation, for: .avif, deepest: .rgba16) {
                frame,
                duration throws(EncodeError) in
                try writer.add(frame, with: blocks, duration: duration)
            }
        } else {
            let still = try options.resized(image, for: .avif, deepest: .rgba16)
            try writer.add(still, with: blocks, duration: .zero)
        }
        let file = try writer.finish(isLimited: options.maxByteCount != nil)
        guard let animation, cc_avif_writes_play_count() == 0 else { return file }
        return file.map { AVIFEditList.adding(animation.loopCount, to: $0) }
    }

    /// The settings as a C structure; the loop count is `nil` for a still.
    private func encoding(quality: Int, loopCount: LoopCount?) -> cc_avif_encoding {
        var plays: UInt32 = 0
        if case .times(let count)? = loopCount { plays = UInt32(count, orEndlessBeyond: .max) }
        let editsByteCount = plays == 0 ? 0 : AVIFEditList.maxByteCount
        let maxByteCount = options.maxOutputByteCount
        return cc_avif_encoding(
            quantizer: Int32(((100 - quality) * 63 + 50) / 100),
            speed: Int32(speed),
            chroma: chroma(quality: quality),
            is_lossless: isLossless ? 1 : 0,
            is_still: loopCount == nil ? 1 : 0,
            bit_depth: Int32(deepBitDepth),
            play_count: plays,
            byte_count_max: maxByteCount - min(maxByteCount, editsByteCount)
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
    /// Returns the encoder with other settings.
    ///
    /// - Throws: ``EncodeError`` with `invalidParameter` if a setting is out of range, and with
    ///   `unsupportedFeature` for a progressive result.
    public func adjusted(by adjustment: EncodeAdjustment) throws(EncodeError) -> AVIFEncoder {
        try adjustment.check(for: format)
        var adjusted = self
        adjusted.quality = adjustment.quality ?? quality
        adjusted.isLossless = adjustment.isLossless || isLossless
        adjusted.speed = adjustment.effort(from: 10, to: 0, else: speed)
        switch adjustment.chroma {
        case .full?: adjusted.chromaSubsampling = .yuv444
        case .halved?: adjusted.chromaSubsampling = .yuv420
        case nil: break
        }
        adjusted.options = options.adjusted(by: adjustment)
        try adjusted.checkSettings()
        return adjusted
    }
}
