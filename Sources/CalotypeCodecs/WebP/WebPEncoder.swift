import CCodecs
public import CalotypeCore
public import FoundationEssentials

/// Encodes WebP with libwebp: stills and animations, lossy or lossless; gray becomes RGB, and no metadata is
/// written but whose the picture is, on request.
///
/// With a `byteCountMax` the quality of a lossy file is lowered, down to 0, to the highest that fits. What is
/// fully transparent keeps no colour: lossless means that no pixel differs that can be seen. The frames of
/// an animation that differ from the one before by nothing are joined with it; durations are whole
/// milliseconds of at most 16,777,215, and a loop count is at most 65,535.
public struct WebPEncoder: ImageEncoder {
    // 80 is what programs expect that come from sharp or Pillow; libwebp's own default is 75.
    /// 0...100 on the scale of libwebp; 80 unless set.
    ///
    /// Has no effect where the file is lossless.
    public var quality: Int

    /// Whether no visible pixel may change; false unless set.
    public var isLossless: Bool

    /// 0, fast, to 6, small: libwebp's method; 4 unless set.
    public var effort: Int

    /// The settings that all encoders share.
    public var options: EncodeOptions

    /// Creates an encoder; each default is stated at its property.
    ///
    /// - Parameters:
    ///   - quality: 0...100.
    ///   - isLossless: Whether no visible pixel may change.
    ///   - effort: 0...6.
    ///   - options: The settings that all encoders share.
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
        return "webp1(\(own),\(options.cacheIdentity))"
    }

    /// Encodes an image, with all frames where it is animated and the options want them.
    ///
    /// - Throws: ``EncodeError`` with `invalidParameter` where a setting is beyond its range,
    ///   `unsupportedFeature` where a side is longer than 16,383 pixels, with `limitExceeded` where nothing
    ///   is within `byteCountMax`, and with `undecodableFrame` where a frame cannot be decoded.
    public func encode(_ image: Image) throws(EncodeError) -> Data {
        try checkSettings()
        let first = try options.resized(image, for: .webP)
        let side = max(first.size.width, first.size.height)
        guard side <= cc_webp_side_max else {
            throw EncodeError(
                .unsupportedFeature,
                format: .webP,
                detail: "\(first.size) pixels; a side of a WebP has at most \(cc_webp_side_max)"
            )
        }
        let animation = options.animation(of: image)
        let encode = { (quality: Int) throws(EncodeError) -> Data? in
            guard let animation else { return try self.encodeStill(first, quality: quality) }
            return try self.encode(animation, first, quality: quality)
        }
        let lowest = isLossless ? quality : 0
        return try options.highestFitting(lowest...quality, of: first.size, format: .webP, encode)
    }

    /// Refuses settings that the format does not have.
    private func checkSettings() throws(EncodeError) {
        try EncodeError.check(quality, in: 0...100, "quality", format)
        try EncodeError.check(effort, in: 0...6, "effort", format)
    }

    /// The bytes of a still at a quality, or `nil` where they are more than `byteCountMax`.
    private func encodeStill(_ image: Image, quality: Int) throws(EncodeError) -> Data? {
        var encoding = encoding(quality: quality)
        do throws(CodecFailure) {
            return try unsafe image.encoded(exif: options.exif(of: image)) { pixels, output, message in
                unsafe cc_webp_encode(pixels, &encoding, output, message)
            }
        } catch  where error.status == .limit_exceeded && options.byteCountMax != nil {
            return nil
        } catch {
            throw error.encodeError(.webP)
        }
    }

    /// The bytes of an animation at a quality, or `nil` where they are more than `byteCountMax`.
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
        do throws(CodecFailure) {
            return try writer.finish(exif: options.exif(of: image))
        } catch  where error.status == .limit_exceeded && options.byteCountMax != nil {
            return nil
        } catch {
            throw error.encodeError(.webP)
        }
    }

    private func encoding(quality: Int) -> cc_webp_encoding {
        cc_webp_encoding(
            quality: Int32(quality),
            is_lossless: isLossless ? 1 : 0,
            effort: Int32(effort),
            byte_count_max: options.outputByteCountMax
        )
    }
}

extension WebPEncoder {
    /// The same encoder with other settings.
    ///
    /// - Throws: ``EncodeError`` with `invalidParameter` where a setting is beyond its range, and with
    ///   `unsupportedFeature` where the result is to be progressive.
    public func adjusted(by adjustment: EncodeAdjustment) throws(EncodeError) -> WebPEncoder {
        try adjustment.check(for: format)
        var adjusted = self
        adjusted.quality = adjustment.quality ?? quality
        adjusted.isLossless = adjustment.isLossless || isLossless
        adjusted.effort = adjustment.effort(from: 0, to: 6, else: effort)
        adjusted.options = options.adjusted(by: adjustment)
        try adjusted.checkSettings()
        return adjusted
    }
}
