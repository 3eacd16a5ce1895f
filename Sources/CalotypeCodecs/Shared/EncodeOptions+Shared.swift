import CCodecs
import CalotypeCore
import FoundationEssentials

extension EncodeOptions {
    /// The settings as text for a cache key.
    var cacheIdentity: String {
        let channels = [background.red, background.green, background.blue]
        let color = channels.map { $0 < 16 ? "0" + String($0, radix: 16) : String($0, radix: 16) }.joined()
        // The number is the version of the pixels of reductions.
        let box = maxSize.map { "\(Self.text($0.width))x\(Self.text($0.height))-2" }
        let pixels = "bytes=\(Self.text(maxByteCount)),box=\(box ?? "-"),background=\(color),frames=\(frames)"
        return keepsCopyright ? pixels + ",copyright=1" : pixels
    }

    private static func text(_ number: Int?) -> String {
        number.map(String.init) ?? "-"
    }

    /// Returns the settings with those of an adjustment that are set.
    func adjusted(by adjustment: EncodeAdjustment) -> EncodeOptions {
        var options = self
        options.maxByteCount = adjustment.maxByteCount ?? maxByteCount
        options.background = adjustment.background ?? background
        options.keepsCopyright = adjustment.keepsCopyright || keepsCopyright
        return options
    }

    /// Returns the Exif block to write for an image; empty for none.
    func exif(of image: Image) -> Data { keepsCopyright ? image.metadata.copyright?.exif ?? Data() : Data() }

    /// The limit as a C value.
    var maxOutputByteCount: UInt64 { maxByteCount.map { UInt64(max(0, $0)) } ?? .max }

    /// Fits the image into ``maxSize``, in pixels that the format can hold.
    ///
    /// - Parameters:
    ///   - image: The image, or a frame.
    ///   - format: The format, for errors.
    ///   - deepest: The deepest pixel format that the encoder writes, including the image's colour space;
    ///     `nil` if it writes only 8 bits and sRGB.
    /// - Returns: The image, with a depth and colours that the encoder supports.
    /// - Throws: ``EncodeError``.
    func resized(
        _ image: Image,
        for format: ImageFormat,
        deepest: PixelFormat? = nil
    ) throws(EncodeError) -> Image {
        let image = try Self.held(image, by: format, deepest: deepest)
        guard maxSize?.fitsOnePixel ?? true else {
            throw EncodeError(
                .invalidParameter,
                format: format,
                detail: "maxSize is empty; use sides of at least 1 pixel"
            )
        }
        guard let size = maxSize?.fitting(image.size), size != image.size else { return image }
        do throws(CodecFailure) {
            return try Resampler.resize(image, to: size)
        } catch {
            throw error.encodeError(format)
        }
    }
}

extension EncodeOptions {
    private static func held(
        _ image: Image,
        by format: ImageFormat,
        deepest: PixelFormat?
    ) throws(EncodeError) -> Image {
        guard image.pixelFormat.isDeep || image.colorSpace != .sRGB else { return image }
        do throws(DecodeError) {
            guard let deepest else { return try image.convertedToStandard() }
            guard image.pixelFormat == .rgbaF16, deepest != .rgbaF16 else { return image }
            return try image.convertedToIntegers()
        } catch {
            throw EncodeError(.outOfMemory, format: format, detail: error.detail)
        }
    }
}

extension EncodeOptions {
    /// Calls `body` with each frame to write, within ``maxSize``, and its duration.
    ///
    /// - Throws: ``EncodeError`` with `undecodableFrame` if a frame cannot be decoded, or the error of
    ///   `body`.
    func forEachFrame(
        of animation: Animation,
        for format: ImageFormat,
        deepest: PixelFormat? = nil,
        _ body: (Image, Duration) throws(EncodeError) -> Void
    ) throws(EncodeError) {
        for index in 0..<animation.frameCount {
            let frame: Image
            do {
                frame = try animation.decodeFrame(at: index)
            } catch {
                throw EncodeError(.undecodableFrame, format: format, detail: "frame \(index): \(error)")
            }
            try body(try resized(frame, for: format, deepest: deepest), animation.duration(ofFrameAt: index))
        }
    }

    /// Returns the animation to write; `nil` if the result is a still.
    func animation(of image: Image) -> Animation? {
        guard frames == .all, let animation = image.animation, animation.frameCount > 1 else { return nil }
        return animation
    }
}

extension cc_output {
    /// Moves the bytes into a `Data`.
    mutating func takenData() -> Data {
        unsafe cc_output_trim(&self)
        guard let start = unsafe bytes else { return Data() }
        return unsafe Data(bytesNoCopy: start, count: count, deallocator: .free)
    }
}

extension Image {
    /// Encodes through C: `encode` receives the pixels and the Exif block, and creates the bytes, which
    /// become the data's.
    func encoded(
        exif: Data = Data(),
        by encode: (
            UnsafePointer<cc_pixels>, UnsafeMutablePointer<cc_output>, UnsafeMutablePointer<cc_message>
        ) -> cc_status
    ) throws(CodecFailure) -> Data {
        var output = unsafe cc_output()
        try unsafe CodecFailure.check { message in
            unsafe withPixels(exif: exif) { unsafe encode($0, &output, message) }
        }
        return unsafe output.takenData()
    }
}
