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
        return pixels + (keepsCopyright ? ",copyright=1" : "") + (keepsMetadata ? ",metadata=1" : "")
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
        options.keepsMetadata = adjustment.keepsMetadata || keepsMetadata
        return options
    }

    /// Returns the blocks to write for an image.
    func blocks(of image: Image) -> MetadataBlocks {
        if keepsMetadata, let blocks = image.metadata.blocks { return blocks.resized(to: image.size) }
        guard keepsCopyright || keepsMetadata else { return MetadataBlocks() }
        return MetadataBlocks(exif: image.metadata.copyright?.exif ?? Data())
    }

    /// The limit as a C value.
    var maxOutputByteCount: UInt64 { maxByteCount.map { UInt64(max(0, $0)) } ?? .max }

    /// Fits the image into ``maxSize``, in pixels that the format can hold.
    ///
    /// - Parameters:
    ///   - image: The image, or a frame.
    ///   - format: The format, for errors.
    ///   - deepest: The deepest pixel format that the encoder writes, including the image's colour space;
    ///     `nil` if it writes only 8 bits.
    ///   - holdsProfile: Whether an encoder of 8 bits writes a profile of standard range.
    /// - Returns: The image, with a depth and colours that the encoder supports.
    /// - Throws: ``EncodeError``.
    func resized(
        _ image: Image,
        for format: ImageFormat,
        deepest: PixelFormat? = nil,
        holdsProfile: Bool = false
    ) throws(EncodeError) -> Image {
        let image = try held(image, by: format, deepest: deepest, holdsProfile: holdsProfile)
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
    private func held(
        _ image: Image,
        by format: ImageFormat,
        deepest: PixelFormat?,
        holdsProfile: Bool
    ) throws(EncodeError) -> Image {
        guard image.pixelFormat.isDeep || image.colorSpace != .sRGB else { return image }
        do throws(DecodeError) {
            guard let deepest else {
                guard holdsProfile, canDescribe(image) else { return try image.convertedToStandard() }
                return try image.reducedToEightBits()
            }
            guard image.pixelFormat == .rgbaF16, deepest != .rgbaF16 else { return image }
            return try image.convertedToIntegers()
        } catch {
            throw EncodeError(.outOfMemory, format: format, detail: error.detail)
        }
    }
}

extension EncodeOptions {
    /// Returns whether a profile describes the colours of an image in a file of red, green and blue, and of
    /// the background behind translucent pixels.
    private func canDescribe(_ image: Image) -> Bool {
        guard image.pixelFormat != .gray8, !image.colorSpace.isHighRange else { return false }
        if case .icc(let profile) = image.colorSpace {
            // ICC.1:2022 section 7.2.6.
            let isRGB = profile.dropFirst(16).starts(with: Data("RGB ".utf8))
            guard isRGB, profile.count <= Self.maxProfileByteCount else { return false }
        }
        return image.pixelFormat == .rgb8 || background.levels(in: image.colorSpace) != nil
    }

    /// The maximum size of a written profile: that of profiles that are read.
    private static var maxProfileByteCount: Int { 4 << 20 }

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
    /// Encodes through C: `encode` receives the pixels and the metadata, and creates the bytes, which become
    /// the data's.
    func encoded(
        with blocks: MetadataBlocks = MetadataBlocks(),
        by encode: (
            UnsafePointer<cc_pixels>, UnsafeMutablePointer<cc_output>, UnsafeMutablePointer<cc_message>
        ) -> cc_status
    ) throws(CodecFailure) -> Data {
        var output = unsafe cc_output()
        try unsafe CodecFailure.check { message in
            unsafe withPixels(blocks) { unsafe encode($0, &output, message) }
        }
        return unsafe output.takenData()
    }
}
