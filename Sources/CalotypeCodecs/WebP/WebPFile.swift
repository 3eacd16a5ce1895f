import CCodecs
import CalotypeCore
import FoundationEssentials

/// A WebP file whose chunks have been read.
struct WebPFile {
    /// The frames of an animation; of a still there is none.
    let frames: [WebPFrame]
    /// The picture of a still; `nil` for an animation.
    let still: WebPBitstream?
    /// Width and height as stored.
    let size: PixelSize
    private let exif: ExifFields
    let profile: Range<Int>?
    private let colorSpace: ColorSpace
    /// Whether pixels may be translucent: some picture has alpha, or the frames leave a part of the canvas
    /// empty.
    let hasAlpha: Bool
    private let loopCount: LoopCount

    /// Reads the chunks of a file, all of which must be there.
    ///
    /// - Throws: `DecodeError`, with `truncated` where bytes are missing.
    init(whole data: Data, limits: DecodeLimits) throws(DecodeError) {
        var container = WebPContainer()
        try container.read(data, limits: limits)
        guard container.isWhole else { throw Self.truncated(data) }
        try self.init(container, data)
    }

    /// Reads the chunks that are there.
    ///
    /// - Throws: `DecodeError`, with `truncated` where there is no picture yet.
    init(partOf data: Data, limits: DecodeLimits) throws(DecodeError) {
        var container = WebPContainer()
        try container.read(data, limits: limits)
        guard container.isWhole || container.still != nil || !container.frames.isEmpty else {
            throw Self.truncated(data)
        }
        try self.init(container, data)
    }

    /// Takes what a walk over the chunks has found.
    ///
    /// - Throws: `DecodeError` where there is no picture.
    init(_ container: WebPContainer, _ data: Data) throws(DecodeError) {
        let isAnimated = !container.frames.isEmpty
        guard let size = isAnimated ? container.canvas : container.still?.size else {
            throw .corrupt("the file holds no picture")
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

    /// Nothing is empty where the first frame fills the canvas, and each area that is emptied is filled by
    /// the next frame.
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
            options: options
        )
    }

    /// What the file tells of its animation.
    var schedule: FrameSchedule {
        FrameSchedule(durations: frames.map(\.duration), loopCount: loopCount, keyFrames: keyFrames)
    }

    /// The frames whose canvas depends on none before: those that cover it all, and those that find it
    /// empty.
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

    /// What the chunks tell.
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
