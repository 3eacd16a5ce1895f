import CCodecs
import CalotypeCore
import FoundationEssentials

/// The application of a decode's options to a PNG file, still or animated.
struct PNGPlan {
    /// The decoded format of the default image.
    let pixelFormat: PixelFormat
    private let plan: DecodePlan
    private let side: PNGSideInfo
    /// The frames beside the default image; `nil` for a still, or if only the first is requested.
    private let schedule: FrameSchedule?
    private let frameFormat: PixelFormat

    /// Reads the chunks of a whole file other than pixels, and checks the limits.
    ///
    /// - Parameters:
    ///   - file: A whole file.
    ///   - header: The header of the pixels.
    ///   - options: The options of the decode.
    ///   - isPart: True if more frames will arrive.
    /// - Throws: `DecodeError`.
    init(
        _ file: Data,
        header: cc_png_header,
        options: DecodeOptions,
        isPart: Bool = false
    ) throws(DecodeError) {
        let (size, still, hasAlpha) = unsafe (header.size, header.pixelFormat, header.has_alpha != 0)
        side = try PNGSideInfo(file, canvas: size, limits: options.limits)
        let animation = options.frames == .all ? try PNGAnimation(file, side: side, canvas: size) : nil
        let frames = animation?.schedule(hasAlpha: hasAlpha)
        schedule = isPart ? frames?.ofPart : frames
        plan = unsafe DecodePlan(
            size,
            orientation: side.exif.orientation ?? .up,
            hasColorProfile: header.hasColorProfile,
            frameCount: schedule == nil ? 1 : side.frameCount,
            colorSpace: header.colorSpace,
            isDeep: still.isDeep,
            copyright: side.exif.copyright,
            options: options
        )
        frameFormat = side.frameFormat(still: still, canvas: size)
        pixelFormat = schedule != nil && side.startsWithDefaultImage ? frameFormat : still
    }

    /// Creates the requested image from the pixels of the default image.
    func image(from decoded: Raster, of file: Data) throws(DecodeError) -> Image {
        guard let schedule else { return try plan.image(from: decoded, format: .png) }
        let (frames, format, options) = (side.frames, frameFormat, plan.options)
        let sequence = FrameSequence(
            schedule: schedule,
            plan: plan,
            format: .png,
            bytes: try EncodedBytes(file)
        ) { bytes throws(DecodeError) in
            try PNGFrameReader(bytes, frames: frames, format: format, options: options)
        }
        return try plan.image(
            from: decoded,
            format: .png,
            frames: sequence,
            isFirstFrame: side.startsWithDefaultImage
        )
    }
}
