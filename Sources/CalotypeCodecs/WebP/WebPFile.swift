import CCodecs
import CalotypeCore
import FoundationEssentials

struct WebPFile {
    /// The frames of an animation; empty for a still.
    let frames: [WebPFrame]
    /// The picture of a still; `nil` for an animation.
    let still: WebPBitstream?
    let size: PixelSize
    private let exif: ExifFields
    let profile: Range<Int>?
    private let colorSpace: ColorSpace
    /// True if pixels may be translucent: a picture has alpha, or the frames leave a part of the canvas
    /// empty.
    let hasAlpha: Bool
    private let loopCount: LoopCount

    /// Parses a complete file.
    ///
    /// - Throws: `DecodeError`, with `truncated` if bytes are missing.
    init(whole data: Data, limits: DecodeLimits) throws(DecodeError) {
        var container = WebPContainer()
        try container.read(data, limits: limits)
        guard container.isWhole else { throw Self.truncated(data) }
        try self.init(container, data)
    }

    /// Parses the available part of a file.
    ///
    /// - Throws: `DecodeError`, with `truncated` if there is no picture yet.
    init(partOf data: Data, limits: DecodeLimits) throws(DecodeError) {
        var container = WebPContainer()
        try container.read(data, limits: limits)
        guard container.isWhole || container.still != nil || !container.frames.isEmpty else {
            throw Self.truncated(data)
        }
        try self.init(container, data)
    }

    /// Creates a file from parsed chunks.
    ///
    /// - Throws: `DecodeError` if there is no picture.
    init(_ container: WebPContainer, _ data: Data) throws(DecodeError) {
        let isAnimated = !container.frames.isEmpty
        guard let size = isAnimated ? container.canvas : container.still?.size else {
            throw .corrupt("the file contains no picture")
        }
        self.size = size
        frames = container.frames
        still = isAnimated ? nil : container.still
        loopCount = container.loopCount
        profile = container.profile
        colorSpace =
            container.profile.map { .icc(Data(data.dropFirst($0.lowerBound).prefix($0.count))) } ?? .sRGB
        exif =
            container.exif.map { ExifFields(data.dropFirst($0.lowerBound).prefix($0.count)) } ?? ExifFields()
        hasAlpha = still?.hasAlpha ?? Self.hasAlpha(container.frames, on: size)
    }

    private static func truncated(_ data: Data) -> DecodeError {
        DecodeError(.truncated, format: .webP, detail: "the file ends after \(data.count) bytes")
    }

    /// False if the first frame fills the canvas, and each cleared area is filled by the next frame.
    private static func hasAlpha(_ frames: [WebPFrame], on canvas: PixelSize) -> Bool {
        guard frames.allSatisfy(\.isOpaque), frames.first?.covers(canvas) == true else { return true }
        return zip(frames, frames.dropFirst()).contains { frame, next in
            frame.isDisposed && !next.covers(canvas)
        }
    }

    var orientation: Orientation { exif.orientation ?? .up }

    var frameCount: Int { max(1, frames.count) }

    var pixelFormat: PixelFormat { hasAlpha ? .rgba8 : .rgb8 }

    var channels: cc_channels { hasAlpha ? .rgba : .rgb }

    func plan(_ options: DecodeOptions) -> DecodePlan {
        DecodePlan(
            size,
            orientation: orientation,
            hasColorProfile: profile != nil,
            frameCount: options.frames == .all ? frameCount : 1,
            colorSpace: colorSpace,
            copyright: exif.copyright,
            // Graphics are converted to lossless WebP, and photographs hardly ever.
            light: (still ?? frames.first?.bitstream)?.isLossless == true ? .encoded : .automatic,
            options: options
        )
    }

    var schedule: FrameSchedule {
        FrameSchedule(durations: frames.map(\.duration), loopCount: loopCount, keyFrames: keyFrames)
    }

    /// The frames that do not depend on earlier canvases: those that cover all of it, and those after a
    /// cleared canvas.
    private var keyFrames: [Int] {
        var keys: [Int] = []
        for (index, frame) in frames.enumerated() {
            let before = index > 0 ? frames[index - 1] : nil
            let isEmptied = before.map {
                $0.isDisposed && ($0.covers(size) || keys.last == index - 1)
            }
            if isEmptied ?? true || frame.covers(size) && (frame.isOpaque || !frame.blends) {
                keys.append(index)
            }
        }
        return keys
    }

    var info: ImageInfo {
        let isAnimated = frames.count > 1
        return ImageInfo(
            format: .webP,
            size: size,
            orientation: orientation,
            frameCount: frameCount,
            loopCount: isAnimated ? loopCount : nil,
            animationDuration: isAnimated ? .animation(schedule.durations) : nil,
            hasAlpha: hasAlpha,
            hasColorProfile: profile != nil,
            pixelFormat: pixelFormat
        )
    }
}
