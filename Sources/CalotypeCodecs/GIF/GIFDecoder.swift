public import CalotypeCore
public import FoundationEssentials

/// Decodes GIF with giflib: stills and animations, local and global colour tables, interlaced or not.
///
/// Pixels that no frame has drawn on are transparent, whatever the background colour. The canvas is the
/// screen, larger where the first frame reaches over it; the other frames are cut to the canvas. Codes that
/// end before the pixels of their frame do, and pixels without a colour, are errors; a missing trailer is
/// not, where all frames are whole. The loop count is one more than the file states, which is how often to
/// play again. Embedded colour profiles are not looked at.
///
/// - SeeAlso: GIF89a, CompuServe 1990; the NETSCAPE2.0 application extension.
public struct GIFDecoder: ImageDecoder {
    /// Creates a decoder.
    public init() {}

    /// GIF.
    public var formats: [ImageFormat] { [.gif] }

    /// Reads all blocks; no pixel is decoded.
    ///
    /// - Throws: `DecodeError` where a block is damaged or missing, or the image is beyond the limits.
    public func info(of data: Data, limits: DecodeLimits) throws(DecodeError) -> ImageInfo {
        let layout = try GIFLayout(data, limits: limits)
        let isAnimated = layout.frames.count > 1
        return ImageInfo(
            format: .gif,
            size: layout.size,
            frameCount: layout.frames.count,
            loopCount: isAnimated ? layout.loopCount : nil,
            animationDuration: isAnimated ? .animation(layout.frames.lazy.map(\.duration)) : nil,
            hasAlpha: layout.hasAlpha,
            pixelFormat: layout.pixelFormat
        )
    }

    /// Decodes the first frame; those of an animation follow when they are asked for.
    ///
    /// - Throws: `DecodeError`; then there are no pixels.
    public func decode(_ data: Data, options: DecodeOptions) throws(DecodeError) -> Image {
        try GIFLayout(data, limits: options.limits).image(from: data, options: options)
    }

    /// A decoder that shows the first frame as soon as it is whole.
    public func makeIncrementalDecoder(
        for format: ImageFormat,
        options: DecodeOptions
    ) -> (any IncrementalDecoder)? {
        GIFIncrementalDecoder(options: options)
    }
}

extension GIFLayout {
    /// Reads the blocks of a whole file.
    fileprivate init(_ file: Data, limits: DecodeLimits) throws(DecodeError) {
        try limits.checkInput(file, format: .gif)
        var scanner = GIFScanner(limits: limits)
        try scanner.scan(file.span)
        try scanner.finish()
        self = scanner.layout
    }

    /// What a decode of the whole file gives.
    func image(from file: Data, options: DecodeOptions) throws(DecodeError) -> Image {
        let plan = plan(options)
        let first = try unsafe file.bytes.withUnsafeBytes { bytes throws(DecodeError) in
            try unsafe firstCanvas(bytes)
        }
        guard options.frames == .all, frames.count > 1 else {
            return try plan.image(from: first, format: .gif)
        }
        let canvas = DecodedCanvas(first)
        let sequence = FrameSequence(
            schedule: schedule,
            plan: plan,
            format: .gif,
            bytes: try EncodedBytes(file),
            makeReader: { bytes throws(DecodeError) in
                try GIFCanvas(self, bytes: bytes, first: canvas)
            }
        )
        return try plan.image(from: first, format: .gif, frames: sequence)
    }

    func plan(_ options: DecodeOptions) -> DecodePlan {
        DecodePlan(
            size,
            orientation: .up,
            hasColorProfile: false,
            frameCount: options.frames == .all ? frames.count : 1,
            options: options
        )
    }
}
