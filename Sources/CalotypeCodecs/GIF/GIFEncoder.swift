import CCodecs
public import CalotypeCore
public import FoundationEssentials

/// Encodes GIF with giflib: stills and animations, at most 256 colours a frame, each with its own table.
///
/// Where a frame has few enough colours they are written as they are; else the colours that come nearest are
/// chosen. Alpha below 128 becomes transparent, the rest opaque. Of an animation each frame is cut to what
/// changes; durations are rounded to 1/100 s and are at least 2 of them. With a `byteCountMax` the number of
/// colours is halved, down to 2, until the result fits.
public struct GIFEncoder: ImageEncoder {
    /// The most colours in a frame, transparency among them: 2...256; 256 unless set.
    public var colorCountMax: Int

    /// Whether the error of each pixel is spread over its neighbours where colours have to be left out; true
    /// unless set.
    public var dithers: Bool

    /// The settings that all encoders share.
    public var options: EncodeOptions

    /// Creates an encoder; each default is stated at its property.
    ///
    /// - Parameters:
    ///   - colorCountMax: 2...256.
    ///   - dithers: Whether the error of each pixel is spread over its neighbours.
    ///   - options: The settings that all encoders share.
    /// - Precondition: `colorCountMax` is in 2...256.
    public init(
        colorCountMax: Int = 256,
        dithers: Bool = true,
        options: EncodeOptions = EncodeOptions()
    ) {
        precondition((2...256).contains(colorCountMax), "a GIF frame has 2...256 colours")
        self.colorCountMax = colorCountMax
        self.dithers = dithers
        self.options = options
    }

    /// GIF.
    public var format: ImageFormat { .gif }

    /// `gif1(…)` with each property.
    public var cacheIdentity: String {
        "gif1(colors=\(colorCountMax),dither=\(dithers ? 1 : 0),\(options.cacheIdentity))"
    }

    /// Encodes an image.
    ///
    /// - Throws: ``EncodeError`` with `unsupportedFeature` where a side is longer than 65,535 pixels, with
    ///   `limitExceeded` where not even two colours are within `byteCountMax`, and with `undecodableFrame`
    ///   where a frame of the animation does not decode.
    public func encode(_ image: Image) throws(EncodeError) -> Data {
        let still = try options.resized(image, for: .gif)
        guard max(still.size.width, still.size.height) <= cc_gif_side_max else {
            throw EncodeError(
                .unsupportedFeature,
                format: .gif,
                detail: "\(still.size) pixels; a side of a GIF has at most \(cc_gif_side_max)"
            )
        }
        var colorCount = colorCountMax
        while true {
            do throws(EncodeError) {
                return try encode(image, still: still, colorCountMax: colorCount)
            } catch where error.code == .limitExceeded && colorCount > 2 {
                colorCount = max(2, colorCount / 2)
            }
        }
    }

    private func encode(_ image: Image, still: Image, colorCountMax: Int) throws(EncodeError) -> Data {
        let animation = options.animation(of: image)
        let writer = try GIFWriter(
            still.size,
            loopCount: animation?.loopCount,
            byteCountMax: options.outputByteCountMax
        )
        if let animation {
            try write(animation, size: still.size, colorCountMax: colorCountMax, to: writer)
        } else {
            let size = still.size
            let frame = GIFPlannedFrame(
                rect: GIFRect(left: 0, top: 0, width: size.width, height: size.height),
                disposal: .unspecified,
                drawn: still.thresholdedPixels,
                delay: 0
            )
            try write(frame, colorCountMax: colorCountMax, to: writer)
        }
        return try writer.finish()
    }

    private func write(
        _ animation: Animation,
        size: PixelSize,
        colorCountMax: Int,
        to writer: borrowing GIFWriter
    ) throws(EncodeError) {
        var planner = GIFFramePlanner(width: size.width, height: size.height)
        try options.forEachFrame(of: animation, for: .gif) { frame, duration throws(EncodeError) in
            if let frame = planner.add(frame.thresholdedPixels, delay: duration.gifDelay) {
                try write(frame, colorCountMax: colorCountMax, to: writer)
            }
        }
        if let frame = planner.finish() { try write(frame, colorCountMax: colorCountMax, to: writer) }
    }

    private func write(
        _ frame: GIFPlannedFrame,
        colorCountMax: Int,
        to writer: borrowing GIFWriter
    ) throws(EncodeError) {
        let pixels =
            IndexedPixels(exactly: frame.drawn, colorCountMax: colorCountMax)
            ?? frame.all.flatMap { IndexedPixels(exactly: $0, colorCountMax: colorCountMax) }
            ?? IndexedPixels(
                nearly: frame.drawn,
                width: frame.rect.width,
                colorCountMax: colorCountMax,
                dithers: dithers
            )
        try writer.add(pixels, rect: frame.rect, disposal: frame.disposal, delay: frame.delay)
    }
}

extension Duration {
    /// In 1/100 s, rounded; at least 2, since players take less for a mistake, and at most what GIF holds.
    var gifDelay: Int {
        let (seconds, attoseconds) = components
        guard seconds < 656 else { return 65535 }
        let hundredths = Int(seconds) * 100 + Int((attoseconds + 5_000_000_000_000_000) / 10_000_000_000_000_000)
        return min(max(hundredths, 2), 65535)
    }
}

extension Image {
    /// The pixels as 0xFFRRGGBB, or 0 where alpha is below 128.
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
                }
            }
        }
    }

    private static func opaque(_ red: UInt8, _ green: UInt8, _ blue: UInt8) -> UInt32 {
        0xFF00_0000 | UInt32(red) << 16 | UInt32(green) << 8 | UInt32(blue)
    }
}
