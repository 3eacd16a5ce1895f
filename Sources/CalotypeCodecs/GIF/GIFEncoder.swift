import CCodecs
public import CalotypeCore
public import FoundationEssentials

/// Encodes GIF with giflib: stills and animations, with at most 256 colours a frame.
///
/// All frames share one colour table if it can hold their colours; otherwise each has its own. If a frame has
/// few enough colours they are preserved; otherwise the best ones are selected. Alpha below 128 becomes
/// transparent, the rest opaque. Frames of an animation are cropped to their changes; durations are rounded
/// to 1/100 s, at least 2/100 s. With a `maxByteCount` the number of colours is halved, down to 2, until the
/// result fits.
public struct GIFEncoder: ImageEncoder, Codable {
    /// The maximum number of colours of a frame, including transparency: 2...256; 256 by default.
    public var maxColorCount: Int

    /// Whether reduced colours are dithered by error diffusion; true by default.
    public var dithers: Bool

    /// The settings shared by all encoders.
    public var options: EncodeOptions

    /// Creates an encoder; the defaults are stated at the properties.
    ///
    /// - Parameters:
    ///   - maxColorCount: 2...256.
    ///   - dithers: True to dither reduced colours.
    ///   - options: The settings shared by all encoders.
    public init(
        maxColorCount: Int = 256,
        dithers: Bool = true,
        options: EncodeOptions = EncodeOptions()
    ) {
        self.maxColorCount = maxColorCount
        self.dithers = dithers
        self.options = options
    }

    /// GIF.
    public var format: ImageFormat { .gif }

    /// `gif1(…)` with each property.
    public var cacheIdentity: String {
        "gif1(colors=\(maxColorCount),dither=\(dithers ? 1 : 0),\(options.cacheIdentity))"
    }

    /// Encodes an image.
    ///
    /// - Throws: ``EncodeError`` with `invalidParameter` if a setting is out of range, `unsupportedFeature`
    ///   if a side is longer than 65,535 pixels, with `limitExceeded` if not even two colours fit
    ///   `maxByteCount`, and with `undecodableFrame` if a frame of the animation cannot be decoded.
    public func encode(_ image: Image) throws(EncodeError) -> Data {
        try EncodeError.check(maxColorCount, in: 2...256, "maxColorCount", format)
        let still = try options.resized(image, for: .gif)
        try EncodeError.checkSides(of: still, atMost: cc_gif_side_max, in: "a GIF", format)
        var colorCount = maxColorCount
        while true {
            do throws(EncodeError) {
                return try encode(image, still: still, maxColorCount: colorCount)
            } catch  where error.code == .limitExceeded && colorCount > 2 {
                colorCount = max(2, colorCount / 2)
            }
        }
    }

    private func encode(_ image: Image, still: Image, maxColorCount: Int) throws(EncodeError) -> Data {
        if let animation = options.animation(of: image) {
            return try encode(animation, firstFrame: still, maxColorCount: maxColorCount)
        }
        let size = still.size
        let frame = GIFPlannedFrame(
            rect: GIFRect(left: 0, top: 0, width: size.width, height: size.height),
            disposal: .unspecified,
            drawn: still.thresholdedPixels,
            delay: 0
        )
        let pixels = indexed(frame, maxColorCount: maxColorCount)
        let writer = try GIFWriter(
            size,
            palette: pixels.palette,
            loopCount: nil,
            maxByteCount: options.maxOutputByteCount
        )
        try writer.add(pixels, of: frame, hasOwnPalette: false)
        return try writer.finish()
    }
}

// MARK: - Animations

extension GIFEncoder {
    private func encode(
        _ animation: Animation,
        firstFrame: Image,
        maxColorCount: Int
    ) throws(EncodeError) -> Data {
        let shared = try sharedColors(of: animation, firstFrame: firstFrame, maxColorCount: maxColorCount)
        let writer = try GIFWriter(
            firstFrame.size,
            palette: shared.map { $0.colors + [0] } ?? [],
            loopCount: animation.loopCount,
            maxByteCount: options.maxOutputByteCount
        )
        func write(_ frame: GIFPlannedFrame) throws(EncodeError) {
            let pixels =
                shared.map { IndexedPixels(frame.drawn, $0, isTransparent: true) }
                ?? indexed(frame, maxColorCount: maxColorCount)
            try writer.add(pixels, of: frame, hasOwnPalette: shared == nil)
        }
        var planner = GIFFramePlanner(width: firstFrame.size.width, height: firstFrame.size.height)
        try options.forEachFrame(of: animation, for: .gif) { frame, duration throws(EncodeError) in
            if let planned = planner.add(frame.thresholdedPixels, delay: duration.gifDelay) {
                try write(planned)
            }
        }
        if let planned = planner.finish() { try write(planned) }
        return try writer.finish()
    }

    /// Returns the colours of all frames if one palette can hold them; reads all frames, unless the first has
    /// too many already.
    private func sharedColors(
        of animation: Animation,
        firstFrame: Image,
        maxColorCount: Int
    ) throws(EncodeError) -> ColorTable? {
        var colors = ColorTable(firstFrame.thresholdedPixels, maxCount: maxColorCount - 1)
        guard colors != nil else { return nil }
        try options.forEachFrame(of: animation, for: .gif) { frame, _ throws(EncodeError) in
            if colors?.count(frame.thresholdedPixels) == false { colors = nil }
        }
        return colors
    }

    /// Returns the pixels of a frame in its own colours.
    ///
    /// A cleared frame always gets a transparent colour: otherwise some players would show the background
    /// colour.
    private func indexed(_ frame: GIFPlannedFrame, maxColorCount: Int) -> IndexedPixels {
        let isCleared = frame.disposal == .background
        let pixels = [frame.drawn] + (frame.all.map { [$0] } ?? [])
        let exact = pixels.lazy.compactMap { pixels in
            IndexedPixels(exactly: pixels, maxColorCount: maxColorCount, isTransparent: isCleared)
        }
        return exact.first
            ?? IndexedPixels(
                nearly: frame.drawn,
                width: frame.rect.width,
                maxColorCount: maxColorCount,
                dithers: dithers,
                isTransparent: isCleared
            )
    }
}

extension Duration {
    /// The duration in 1/100 s, rounded; at least 2, since players treat less as an error, and at most the
    /// maximum of GIF.
    var gifDelay: Int {
        let (seconds, attoseconds) = components
        guard seconds < 656 else { return 65535 }
        let hundredths =
            Int(seconds) * 100 + Int((attoseconds + 5_000_000_000_000_000) / 10_000_000_000_000_000)
        return min(max(hundredths, 2), 65535)
    }
}

extension Image {
    /// The pixels as 0xFFRRGGBB, or 0 for alpha below 128.
    var thresholdedPixels: [UInt32] {
        unsafe pixels.withUnsafeBytes { bytes in
            (0..<size.pixelCount).map { index in
                switch pixelFormat {
                case .gray8:
                    return unsafe 0xFF00_0000 | UInt32(bytes[index]) * 0x01_0101
                case .rgb8:
                    return unsafe Self.opaque(bytes[index * 3], bytes[index * 3 + 1], bytes[index * 3 + 2])
                case .rgba8:
                    guard unsafe bytes[index * 4 + 3] >= 128 else { return 0 }
                    return unsafe Self.opaque(bytes[index * 4], bytes[index * 4 + 1], bytes[index * 4 + 2])
                case .rgba16, .rgbaF16:
                    preconditionFailure("images of more than 8 bits are rounded before they become a GIF")
                }
            }
        }
    }

    private static func opaque(_ red: UInt8, _ green: UInt8, _ blue: UInt8) -> UInt32 {
        0xFF00_0000 | UInt32(red) << 16 | UInt32(green) << 8 | UInt32(blue)
    }
}

extension GIFEncoder {
    /// Returns the encoder with other settings: GIF has no quality.
    ///
    /// - Throws: ``EncodeError`` with `unsupportedFeature` for a lossless result.
    public func adjusted(by adjustment: EncodeAdjustment) throws(EncodeError) -> GIFEncoder {
        let absence = "a GIF frame has at most 256 colours; choose png or webp"
        try adjustment.check(for: format, absenceOfLossless: absence)
        var adjusted = self
        adjusted.maxColorCount = adjustment.maxColorCount ?? maxColorCount
        try EncodeError.check(adjusted.maxColorCount, in: 2...256, "maxColorCount", format)
        adjusted.options = options.adjusted(by: adjustment)
        return adjusted
    }
}
