import CCodecs
public import CalotypeCore
public import FoundationEssentials

/// Encodes WebP with libwebp: stills and animations, lossy or lossless.
///
/// Gray becomes RGB. The colour space of a still, of standard range other than sRGB, is written (ICC), other
/// metadata on request. With a `maxByteCount` the quality of a lossy file is lowered, down to 0, to the
/// highest that fits. Fully transparent pixels lose their colour: lossless means that no visible pixel
/// differs. Identical consecutive frames of an animation are merged; durations are whole milliseconds of at
/// most 16,777,215, and a loop count is at most 65,535.
public struct WebPEncoder: ImageEncoder, Codable {
    // The default of sharp and Pillow, which callers may expect; libwebp's own default is 75.
    /// 0...100 on the scale of libwebp; 80 by default.
    ///
    /// No effect for a lossless file.
    public var quality: Int

    /// Whether every visible pixel is preserved; false by default.
    public var isLossless: Bool

    /// 0, fast, to 6, small: libwebp's method; 4 by default.
    public var effort: Int

    /// The content that a lossy file is tuned for, as a preset of libwebp; `nil`, the default, for any.
    public var content: EncodeAdjustment.Content?

    /// The settings shared by all encoders.
    public var options: EncodeOptions

    /// Creates an encoder; the defaults are stated at the properties.
    ///
    /// - Parameters:
    ///   - quality: 0...100.
    ///   - isLossless: True to preserve every visible pixel.
    ///   - effort: 0...6.
    ///   - options: The settings shared by all encoders.
    public init(
        quality: Int = 80,
        isLossless: Bool = false,
        effort: Int = 4,
        options: EncodeOptions = EncodeOptions()
    ) {
        self.quality = quality
        self.isLossless = isLossless
        self.effort = effort
        self.options = options
    }

    /// WebP.
    public var format: ImageFormat { .webP }

    /// `webp1(…)` with each property.
    public var cacheIdentity: String {
        let own = "q=\(quality),lossless=\(isLossless ? 1 : 0),effort=\(effort)"
        let tuning = content.map { "content=\($0.rawValue)," } ?? ""
        return "webp1(\(own),\(tuning)\(options.cacheIdentity))"
    }

    /// Encodes an image, with all frames if it is animated and the options request them.
    ///
    /// - Throws: ``EncodeError`` with `invalidParameter` if a setting is out of range, `unsupportedFeature`
    ///   if a side is longer than 16,383 pixels, with `limitExceeded` if no quality fits `maxByteCount`, and
    ///   with `undecodableFrame` if a frame cannot be decoded.
    public func encode(_ image: Image) throws(EncodeError) -> Data {
        try checkSettings()
        let animation = options.animation(of: image)
        let first = try options.resized(image, for: .webP, holdsProfile: animation == nil)
        try EncodeError.checkSides(of: first, atMost: cc_webp_side_max, in: "a WebP", format)
        let encode = { (quality: Int) throws(EncodeError) -> Data? in
            guard let animation else { return try self.encodeStill(first, quality: quality) }
            return try self.encode(animation, first, quality: quality)
        }
        let lowest = isLossless ? quality : 0
        return try options.highestFitting(lowest...quality, of: first.size, format: .webP, encode)
    }

    private func checkSettings() throws(EncodeError) {
        try EncodeError.check(quality, in: 0...100, "quality", format)
        try EncodeError.check(effort, in: 0...6, "effort", format)
    }

    /// Encodes a still at a quality; `nil` if the result exceeds `maxByteCount`.
    private func encodeStill(_ image: Image, quality: Int) throws(EncodeError) -> Data? {
        var encoding = encoding(quality: quality)
        return try options.fitting(.webP) { () throws(CodecFailure) in
            try unsafe image.encoded(with: options.blocks(of: image)) { pixels, output, message in
                unsafe cc_webp_encode(pixels, &encoding, output, message)
            }
        }
    }

    /// Encodes an animation at a quality; `nil` if the result exceeds `maxByteCount`.
    private func encode(
        _ animation: Animation,
        _ image: Image,
        quality: Int
    ) throws(EncodeError) -> Data? {
        let writer = try WebPAnimationWriter(
            size: image.size,
            loopCount: animation.loopCount,
            encoding(quality: quality)
        )
        try options.forEachFrame(of: animation, for: .webP) { frame, duration throws(EncodeError) in
            try writer.add(frame, duration)
        }
        return try options.fitting(.webP) { () throws(CodecFailure) in
            try writer.finish(with: options.blocks(of: image))
        }
    }

    private func encoding(quality: Int) -> cc_webp_encoding {
        cc_webp_encoding(
            quality: Int32(quality),
            is_lossless: isLossless ? 1 : 0,
            effort: Int32(effort),
            content: nativeContent,
            byte_count_max: options.maxOutputByteCount
        )
    }

    private var nativeContent: cc_webp_content {
        switch content {
        case nil: .any
        case .picture: .picture
        case .photo: .photo
        case .drawing: .drawing
        case .icon: .icon
        case .text: .text
        }
    }
}

extension WebPEncoder {
    /// Returns the encoder with other settings.
    ///
    /// - Throws: ``EncodeError`` with `invalidParameter` if a setting is out of range, and with
    ///   `unsupportedFeature` for a progressive result.
    public func adjusted(by adjustment: EncodeAdjustment) throws(EncodeError) -> WebPEncoder {
        try adjustment.check(for: format)
        var adjusted = self
        adjusted.quality = adjustment.quality ?? quality
        adjusted.isLossless = adjustment.isLossless || isLossless
        adjusted.effort = adjustment.effort(from: 0, to: 6, else: effort)
        adjusted.content = adjustment.content ?? content
        adjusted.options = options.adjusted(by: adjustment)
        try adjusted.checkSettings()
        return adjusted
    }
}
