import CCodecs
public import CalotypeCore
public import FoundationEssentials

/// Encodes JPEG XL with libjxl: gray, RGB or RGBA as the image has it, with all frames of an animation.
///
/// In 8 bits a channel, 16, or half floats. Its colour space is written, and no other metadata.
///
/// With a `byteCountMax` the quality is lowered, down to 0, to the highest that fits. A lossless result
/// that does not fit is an error.
public struct JPEGXLEncoder: ImageEncoder {
    /// 0...100 on the scale of libjpeg, as `cjxl` maps it to a Butteraugli distance; 90, which is distance
    /// 1, unless set.
    ///
    /// From 30 on the distance is 0.1 + 0.09 × (100 − quality); it is never above 15. 100 is not lossless.
    public var quality: Int

    /// Whether the pixels come back as they are; false unless set.
    ///
    /// The quality does not count then.
    public var isLossless: Bool

    /// 1, fast, to 9, small; 5 unless set.
    ///
    /// For a megapixel 5 takes about a tenth of a second, and a second where nothing is lost; 7 takes half
    /// as long again and gains little, 9 takes a hundred times as long. 3 takes a tenth of the time of a
    /// lossless 5 for a twentieth more bytes.
    public var effort: Int

    /// The settings that all encoders share.
    public var options: EncodeOptions

    /// Creates an encoder; each default is stated at its property.
    ///
    /// - Parameters:
    ///   - quality: 0...100.
    ///   - isLossless: Whether the pixels come back as they are.
    ///   - effort: 1...9.
    ///   - options: The settings that all encoders share.
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
    /// - Throws: ``EncodeError`` with `invalidParameter` where a setting is beyond its range, `limitExceeded`
    ///   where no quality is within `byteCountMax`, and `undecodableFrame` where a frame of an animation
    ///   cannot be decoded.
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

    /// The image in colours that JPEG XL has a name or a profile for; others become sRGB.
    private func named(_ image: Image) throws(EncodeError) -> Image {
        guard case .coded(let primaries, let transfer) = image.colorSpace else { return image }
        guard ![1, 9, 12].contains(primaries) || ![1, 8, 13, 16, 18].contains(transfer) else { return image }
        do throws(DecodeError) {
            return try image.convertedToSRGB()
        } catch {
            throw EncodeError(.outOfMemory, format: .jpegXL, detail: error.detail)
        }
    }

    /// Refuses settings that the format does not have.
    private func checkSettings() throws(EncodeError) {
        try EncodeError.check(quality, in: 0...100, "quality", format)
        try EncodeError.check(effort, in: 1...9, "effort", format)
    }

    /// The bytes at a quality, or `nil` where they are more than `byteCountMax`.
    private func encode(
        _ still: Image,
        _ animation: Animation?,
        quality: Int
    ) throws(EncodeError) -> Data? {
        do throws(EncodeError) {
            guard let animation else { return try encodeStill(still, quality: quality) }
            return try encode(animation, like: still, quality: quality)
        } catch  where error.code == .limitExceeded && options.byteCountMax != nil {
            return nil
        }
    }

    private func encodeStill(_ image: Image, quality: Int) throws(EncodeError) -> Data {
        do throws(CodecFailure) {
            let writer = try JPEGXLWriter(encoding(image, quality: quality), like: image)
            try writer.write(image, for: .zero, isLast: true)
            return writer.finish()
        } catch {
            throw error.encodeError(.jpegXL)
        }
    }

    /// Memory for one frame at a time.
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
        let writer = try open(encoding, like: first)
        var left = animation.frameCount
        try options.forEachFrame(of: animation, for: .jpegXL, deepest: .rgbaF16) {
            frame,
            duration throws(EncodeError) in
            left -= 1
            do throws(CodecFailure) {
                try writer.write(frame, for: duration, isLast: left == 0)
            } catch {
                throw error.encodeError(.jpegXL)
            }
        }
        return writer.finish()
    }

    private func open(_ encoding: cc_jxl_encoding, like first: Image) throws(EncodeError) -> JPEGXLWriter {
        do throws(CodecFailure) {
            return try JPEGXLWriter(encoding, like: first)
        } catch {
            throw error.encodeError(.jpegXL)
        }
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
            byte_count_max: options.outputByteCountMax
        )
    }

    /// `JxlEncoderDistanceFromQuality` of libjxl 0.9, within what 0.7 takes.
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
    /// The same encoder with other settings.
    ///
    /// - Throws: ``EncodeError`` with `invalidParameter` where a setting is beyond its range, and with
    ///   `unsupportedFeature` where the result is to be progressive.
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
