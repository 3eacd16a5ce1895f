public import CalotypeCore
public import FoundationEssentials

/// Decodes GIF with giflib: stills and animations, local and global colour tables, interlaced or not.
///
/// Pixels without a frame are transparent, regardless of the background colour. The canvas is the screen,
/// enlarged if the first frame exceeds it; other frames are clipped to the canvas. Codes that end before the
/// pixels of their frame, and pixels without a colour, are errors. A missing trailer is not an error if all
/// frames are complete. The loop count is one more than stated in the file, which counts repetitions.
/// Embedded colour profiles are ignored.
///
/// - SeeAlso: GIF89a, CompuServe 1990; the NETSCAPE2.0 application extension.
public struct GIFDecoder: ImageDecoder {
    /// Creates a decoder.
    public init() {}

    /// GIF.
    public var formats: [ImageFormat] { [.gif] }

    /// Reads all blocks; no pixel is decoded.
    ///
    /// - Throws: `DecodeError` if a block is damaged or missing, or the image exceeds the limits.
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

    /// Decodes the first frame; the others of an animation are decoded on demand.
    ///
    /// - Throws: `DecodeError`, without pixels.
    public func decode(_ data: Data, options: DecodeOptions) throws(DecodeError) -> Image {
        try GIFLayout(data, limits: options.limits).image(from: data, options: options)
    }

    /// Makes a decoder that shows the first frame as soon as it is complete.
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
