import CCodecs
import CalotypeCore
import CalotypeSupport
import FoundationEssentials

/// The facts that the chunks of a PNG file state beside the pixels of its default image.
struct PNGSideInfo {
    /// The fields of the first eXIf; it may stand after the pixels.
    var exif: ExifFields { firstExif ?? ExifFields() }
    private var firstExif: ExifFields?
    /// The number that acTL claims; 1 for a still.
    private(set) var claimedFrameCount = 1
    /// The frames that are there, none beyond the claim, as their fcTL has them; empty for a still.
    private(set) var frames: [PNGFrameControl] = []
    /// Whether the default image is the first frame; else it is for those who do not animate.
    private(set) var startsWithDefaultImage = false
    /// The loop count that acTL states.
    private var statedLoopCount: LoopCount?
    private var hasPixels = false
    /// The place of the first chunk that has not been read; `nil` behind the last.
    private var offset: Int? = 8

    /// Knows nothing of the file yet.
    init() {}

    /// Reads all chunks of a whole file.
    init(_ file: Data, canvas: PixelSize, limits: DecodeLimits) throws(DecodeError) {
        try read(file, canvas: canvas, limits: limits)
    }

    /// Walks over the chunks that have come since the last time, without reading what is in them.
    ///
    /// - Throws: `DecodeError` where the image is beyond the limits, before any frame is kept.
    mutating func read(_ file: Data, canvas: PixelSize, limits: DecodeLimits) throws(DecodeError) {
        try limits.checkSize(canvas, frameCount: claimedFrameCount, format: .png)
        guard let offset else { return }
        for chunk in PNGChunks(file, from: offset) {
            self.offset = chunk.type == .end ? nil : chunk.end
            switch chunk.type {
            case .imageData: hasPixels = true
            case .exif where firstExif == nil: firstExif = ExifFields(chunk.payload)
            case .animationControl where !hasPixels:
                readControl(chunk.payload)
                try limits.checkSize(canvas, frameCount: claimedFrameCount, format: .png)
            case .frameControl where statedLoopCount != nil && frames.count < claimedFrameCount:
                frames.append(PNGFrameControl(chunk))
                if !hasPixels { startsWithDefaultImage = true }
            default: break
            }
        }
    }

    /// `nil` for a still, and an animation of one frame is one.
    var loopCount: LoopCount? { frames.count > 1 ? statedLoopCount : nil }

    /// The number of frames that are there; 1 for a still.
    var frameCount: Int { max(1, frames.count) }

    /// How long one loop takes; `nil` for a still.
    var duration: Duration? { loopCount.map { _ in .animation(frames.lazy.map(\.duration)) } }

    /// The format that an ordinary decode gives, where a still of the file would have `still`.
    func imageFormat(still: PixelFormat, canvas: PixelSize) -> PixelFormat {
        startsWithDefaultImage ? frameFormat(still: still, canvas: canvas) : still
    }

    /// The format of the frames: with alpha, if a part of the canvas is ever seen through no frame.
    func frameFormat(still: PixelFormat, canvas: PixelSize) -> PixelFormat {
        guard frameCount > 1 else { return still }
        let isCovered = zip(frames, frames.dropFirst()).enumerated().allSatisfy { index, pair in
            pair.0.disposal(isFirst: index == 0) != .background || pair.1.covers(pair.0)
        }
        return isCovered && frames[0].size == canvas ? still : .rgba8
    }

    /// PNG 3 section 11.3.6.1; a count of 0 is an error there, and the file a still.
    private mutating func readControl(_ payload: Data) {
        var reader = ByteReader(payload)
        guard let frames = reader.bigEndian(UInt32.self), let plays = reader.bigEndian(UInt32.self) else {
            return
        }
        guard frames > 0 else { return }
        claimedFrameCount = Int(frames)
        statedLoopCount = plays == 0 ? .infinite : .times(Int(plays))
    }
}
