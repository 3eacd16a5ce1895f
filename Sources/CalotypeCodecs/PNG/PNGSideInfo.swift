import CCodecs
import CalotypeCore
import CalotypeSupport
import FoundationEssentials

/// The properties stated by a PNG file's chunks other than the pixels of its default image.
struct PNGSideInfo {
    /// The fields of the first eXIf, which may follow the pixels.
    var exif: ExifFields { firstExif ?? ExifFields() }
    private var firstExif: ExifFields?
    /// The frame count in acTL, unless the limits truncate the animation; 1 for a still.
    private(set) var claimedFrameCount = 1
    /// The available frames up to the claimed number; empty for a still.
    private(set) var frames: [PNGFrameControl] = []
    /// True if the default image is the first frame; false if it is a fallback for viewers without animation.
    private(set) var startsWithDefaultImage = false
    private var statedLoopCount: LoopCount?
    private var hasPixels = false
    /// The offset of the first unread chunk; `nil` after the last.
    private var offset: Int? = 8

    /// Knows nothing of the file yet.
    init() {}

    /// Reads all chunks of a whole file.
    init(_ file: Data, canvas: PixelSize, limits: DecodeLimits) throws(DecodeError) {
        try read(file, canvas: canvas, limits: limits)
    }

    /// Scans the chunks that have arrived since the last call, without reading their content.
    ///
    /// - Throws: `DecodeError` if the image exceeds the limits, before any frame is stored.
    mutating func read(_ file: Data, canvas: PixelSize, limits: DecodeLimits) throws(DecodeError) {
        try limits.checkSize(canvas, frameCount: claimedFrameCount, format: .png)
        guard let offset else { return }
        for chunk in PNGChunks(file, from: offset) {
            self.offset = chunk.type == .end ? nil : chunk.end
            switch chunk.type {
            case .imageData: hasPixels = true
            case .exif where firstExif == nil: firstExif = ExifFields(chunk.payload)
            case .animationControl where !hasPixels:
                readControl(chunk.payload, maxFrameCount: limits.maxReadFrameCount(of: canvas))
                try limits.checkSize(canvas, frameCount: claimedFrameCount, format: .png)
            case .frameControl where statedLoopCount != nil && frames.count < claimedFrameCount:
                frames.append(PNGFrameControl(chunk))
                if !hasPixels { startsWithDefaultImage = true }
            default: break
            }
        }
    }

    /// `nil` for a still, including an animation of one frame.
    var loopCount: LoopCount? { frames.count > 1 ? statedLoopCount : nil }

    /// The number of available frames; 1 for a still.
    var frameCount: Int { max(1, frames.count) }

    /// The duration of one loop; `nil` for a still.
    var duration: Duration? { loopCount.map { _ in .animation(frames.lazy.map(\.duration)) } }

    /// Returns the pixel format of an ordinary decode, given that of the file as a still.
    func imageFormat(still: PixelFormat, canvas: PixelSize) -> PixelFormat {
        startsWithDefaultImage ? frameFormat(still: still, canvas: canvas) : still
    }

    /// Returns the format of the frames: with alpha if a part of the canvas is ever uncovered.
    func frameFormat(still: PixelFormat, canvas: PixelSize) -> PixelFormat {
        guard frameCount > 1 else { return still }
        let isCovered = zip(frames, frames.dropFirst()).enumerated().allSatisfy { index, pair in
            pair.0.disposal(isFirst: index == 0) != .background || pair.1.covers(pair.0)
        }
        return isCovered && frames[0].size == canvas ? still : .rgba8
    }

    /// Reads acTL, PNG 3 section 11.3.6.1; a count of 0 is invalid, and the file is treated as a still.
    private mutating func readControl(_ payload: Data, maxFrameCount: Int) {
        var reader = ByteReader(payload)
        guard let frames = reader.bigEndian(UInt32.self), let plays = reader.bigEndian(UInt32.self) else {
            return
        }
        guard frames > 0 else { return }
        claimedFrameCount = min(Int(frames), maxFrameCount)
        statedLoopCount = plays == 0 ? .infinite : .times(Int(plays))
    }
}
