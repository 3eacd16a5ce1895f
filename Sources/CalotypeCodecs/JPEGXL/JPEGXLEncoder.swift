import CCodecs
public import CalotypeCore
public import FoundationEssentials

/// Encodes JPEG XL with libjxl: gray, RGB or RGBA, with all frames of an animation.
///
/// Channels have 8 bits, 16, or half floats. The colour space is written, and no other metadata.
///
/// With a `maxByteCount` the quality is lowered, down to 0, to the highest that fits. A lossless result that
/// does not fit is an error.
public struct JPEGXLEncoder: ImageEncoder, Codable {
    /// 0...100 on the scale of libjpeg, mapped to a Butteraugli distance like `cjxl`; 90, which is distance
    /// 1, by default.
    ///
    /// From 30 on the distance is 0.1 + 0.09 × (100 − quality); it is at most 15. 100 is not lossless.
    public var quality: Int

    /// Whether every pixel is preserved; false by default.
    ///
    /// The quality is then ignored.
    public var isLossless: Bool

    /// 1, fast, to 9, small; 5 by default.
    ///
    /// For a megapixel 5 takes about a tenth of a second, or a second for lossless; 7 takes half as long
    /// again and gains little, 9 takes a hundred times as long. For lossless, 3 takes a tenth of the time of
    /// 5 for a twentieth more bytes.
    public var effort: Int

    /// The settings shared by all encoders.
    public var options: EncodeOptions

    /// Creates an encoder; the defaults are stated at the properties.
    ///
    /// - Parameters:
    ///   - quality: 0...100.
    ///   - isLossless: True to preserve every pixel.
    ///   - effort: 1...9.
    ///   - options: The settings shared by all encoders.
    public init(
        quality: Int = 90,
        isLossless: Bool = false,
        effort: Int = 5,
        options: EncodeOptions = EncodeOptions()
    ) {
        self.quality = quality
        self.isLossless = isLossless
        self.effort = effort
        self.options = options
    }

    /// JPEG XL.
    public var format: ImageFormat { .jpegXL }

    /// `jxl1(…)` with each property.
    public var cacheIdentity: String {
        "jxl1(q=\(quality),lossless=\(isLossless ? 1 : 0),effort=\(effort),\(options.cacheIdentity))"
    }

    /// Encodes an image.
    ///
    /// - Throws: ``EncodeError`` with `invalidParameter` if a setting is out of range, `limitExceeded` if no
    ///   quality fits `maxByteCount`, and `undecodableFrame` if a frame of an animation cannot be decoded.
    public func encode(_ image: Image) throws(EncodeError) -> Data {
        try checkSettings()
        let image = try named(image)
        let still = try options.resized(image, for: .jpegXL, deepest: .rgbaF16)
        let animation = options.animation(of: image)
        let lowest = isLossless ? quality : 0
        return try options.highestFitting(lowest...quality, of: still.size, format: .jpegXL) {
            quality throws(EncodeError) in
            try encode(still, animation, quality: quality)
        }
    }

    /// Converts the image to sRGB unless JPEG XL has a name or a profile for its colours.
    private func named(_ image: Image) throws(EncodeError) -> Image {
        guard case .cicp(let primaries, let transfer) = image.colorSpace else { return image }
        guard ![1, 9, 12].contains(primaries) || ![1, 8, 13, 16, 18].contains(transfer) else { return image }
        do throws(DecodeError) {
            return try image.convertedToSRGB()
        } catch {
            throw EncodeError(.outOfMemory, format: .jpegXL, detail: error.detail)
        }
    }

    private func checkSettings() throws(EncodeError) {
        try EncodeError.check(quality, in: 0...100, "quality", format)
        try EncodeError.check(effort, in: 1...9, "effort", format)
    }

    /// Encodes at a quality; `nil` if the result exceeds `maxByteCount`.
    private func encode(
        _ still: Image,
        _ animation: Animation?,
        quality: Int
    ) throws(EncodeError) -> Data? {
        do throws(EncodeError) {
            guard let animation else { return try encodeStill(still, quality: quality) }
            return try encode(animation, like: still, quality: quality)
        } catch  where error.code == .limitExceeded && options.maxByteCount != nil {
            return nil
        }
    }

    private func encodeStill(_ image: Image, quality: Int) throws(EncodeError) -> Data {
        let writer = try JPEGXLWriter(encoding(image, quality: quality), like: image)
        try writer.write(image, for: .zero, isLast: true)
        return writer.finish()
    }

    /// Needs memory for one frame at a time.
    private func encode(
        _ animation: Animation,
        like first: Image,
        quality: Int
    ) throws(EncodeError) -> Data {
        var encoding = encoding(first, quality: quality)
        encoding.is_animated = 1
        if case .times(let count) = animation.loopCount {
            encoding.loop_count = UInt32(count, orEndlessBeyond: .max)
        }
        let writer = try JPEGXLWriter(encoding, like: first)
        var left = animation.frameCount
        try options.forEachFrame(of: animation, for: .jpegXL, deepest: .rgbaF16) {
            frame,
            duration throws(EncodeError) in
            left -= 1
            try writer.write(frame, for: duration, isLast: left == 0)
        }
        return writer.finish()
    }

    private func encoding(_ image: Image, quality: Int) -> cc_jxl_encoding {
        cc_jxl_encoding(
            width: UInt32(image.size.width),
            height: UInt32(image.size.height),
            bytes_per_pixel: UInt32(image.pixelFormat.bytesPerPixel),
            distance: Self.distance(quality: quality),
            is_lossless: isLossless ? 1 : 0,
            effort: Int32(effort),
            is_animated: 0,
            loop_count: 0,
            byte_count_max: options.maxOutputByteCount
        )
    }

    /// `JxlEncoderDistanceFromQuality` of libjxl 0.9, clamped to the range of 0.7.
    private static func distance(quality: Int) -> Float {
        let quality = Float(quality)
        let distance =
            quality >= 30
            ? 0.1 + (100 - quality) * 0.09
            : 53 / 3000 * quality * quality - 23 / 20 * quality + 25
        return min(15, distance)
    }
}

extension JPEGXLEncoder {
    /// Returns the encoder with other settings.
    ///
    /// - Throws: ``EncodeError`` with `invalidParameter` if a setting is out of range, and with
    ///   `unsupportedFeature` for a progressive result.
    public func adjusted(by adjustment: EncodeAdjustment) throws(EncodeError) -> JPEGXLEncoder {
        try adjustment.check(for: format)
        var adjusted = self
        adjusted.quality = adjustment.quality ?? quality
        adjusted.isLossless = adjustment.isLossless || isLossless
        adjusted.effort = adjustment.effort(from: 1, to: 9, else: effort)
        adjusted.options = options.adjusted(by: adjustment)
        try adjusted.checkSettings()
        return adjusted
    }
}
