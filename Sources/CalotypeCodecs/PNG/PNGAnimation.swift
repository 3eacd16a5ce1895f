import CCodecs
import CalotypeCore
import CalotypeSupport
import FoundationEssentials

/// The frames of an APNG, validated by the rules of PNG 3 section 11.3.6.
struct PNGAnimation {
    let frames: [PNGFrameControl]
    let loopCount: LoopCount
    private let canvas: PixelSize

    /// Validates the chunks of a file with pixels; `nil` for a still.
    ///
    /// As in browsers, fewer frames than acTL claims are accepted; chunks after the claimed frames are
    /// ignored.
    init?(_ file: Data, side: PNGSideInfo, canvas: PixelSize) throws(DecodeError) {
        guard let loopCount = side.loopCount else { return nil }
        self.loopCount = loopCount
        self.canvas = canvas
        frames = side.frames
        var order = PNGFrameOrder(canvas: canvas, frameCount: side.frameCount)
        for chunk in PNGChunks(file) where !order.isPastLastFrame {
            if let problem = order.problem(with: chunk) {
                throw DecodeError(.corrupt, format: .png, detail: problem)
            }
        }
        guard !side.startsWithDefaultImage || frames[0].size == canvas else {
            throw DecodeError(
                .corrupt,
                format: .png,
                detail: "the default image is a frame of \(frames[0].size) instead of \(canvas)"
            )
        }
    }

    static let endChunk = Data([0, 0, 0, 0, 0x49, 0x45, 0x4E, 0x44, 0xAE, 0x42, 0x60, 0x82])

    /// Returns the offset after the last frame that another follows; `nil` without one.
    static func endOfWholeFrames(_ file: Data, canvas: PixelSize) -> Int? {
        PNGFrameOrder.endOfWholeFrames(file, canvas: canvas)
    }

    /// Returns the frames, and those from which decoding can start.
    ///
    /// Decoding can start at a frame that replaces the whole canvas and is not reverted, or that follows a
    /// cleared canvas.
    func schedule(hasAlpha: Bool) -> FrameSchedule {
        let keyFrames = frames.indices.filter { index in
            guard index > 0 else { return true }
            let (frame, before) = (frames[index], frames[index - 1])
            let replaces = frame.size == canvas && (frame.blend == 0 || !hasAlpha) && frame.disposal != 2
            let isCleared = before.size == canvas && before.disposal(isFirst: index == 1) == .background
            return replaces || isCleared
        }
        return FrameSchedule(durations: frames.map(\.duration), loopCount: loopCount, keyFrames: keyFrames)
    }
}

/// Extracts the frames before the one at which a file is truncated, or breaks the rules.
extension PNGDecoder: DamageRepairing {
    func repaired(_ file: Data) throws(DecodeError) -> Data? {
        var header = ByteReader(file.dropFirst(16))
        guard let width = header.bigEndian(UInt32.self), let height = header.bigEndian(UInt32.self) else {
            return nil
        }
        let canvas = PixelSize(width: Int(width), height: Int(height))
        guard let end = PNGAnimation.endOfWholeFrames(file, canvas: canvas) else { return nil }
        return try EncodedBytes(file.prefix(end), PNGAnimation.endChunk).data
    }
}

/// Validates the order of an animation's chunks.
private struct PNGFrameOrder {
    let canvas: PixelSize
    let frameCount: Int
    var frameIndex = -1
    var nextSequenceNumber = 0
    var hasImage = false
    var hasData = true
    var startsWithDefaultImage = false

    /// Returns the offset after the last frame that another follows; `nil` without one.
    static func endOfWholeFrames(_ file: Data, canvas: PixelSize) -> Int? {
        var order = PNGFrameOrder(canvas: canvas, frameCount: .max)
        var (start, end) = (8, Int?.none)
        for chunk in PNGChunks(file) {
            if chunk.type == .frameControl, order.frameIndex >= 0, order.hasData { end = start }
            guard order.problem(with: chunk) == nil else { break }
            start = chunk.end
        }
        return end
    }

    /// True if all frames have been seen.
    var isPastLastFrame: Bool { frameIndex >= frameCount }

    /// Returns the error of the next chunk, if any.
    mutating func problem(with chunk: PNGChunks.Chunk) -> String? {
        switch chunk.type {
        case .frameControl: return frameProblem(PNGFrameControl(chunk))
        case .frameData: return dataProblem(chunk)
        case .imageData: return imageProblem()
        case .end:
            let isLacking = !hasData
            frameIndex = frameCount
            return isLacking ? "the last frame has no pixels" : nil
        default: return nil
        }
    }

    private mutating func frameProblem(_ frame: PNGFrameControl) -> String? {
        guard hasData else { return "frame \(frameIndex) has no pixels" }
        frameIndex += 1
        guard !isPastLastFrame else { return nil }
        hasData = false
        guard frame.isSound(on: canvas) else {
            return "frame \(frameIndex) has \(frame.size) at \(frame.x), \(frame.y) on \(canvas), "
                + "disposal \(frame.disposal), blend \(frame.blend)"
        }
        return sequenceProblem(frame.sequenceNumber)
    }

    private mutating func dataProblem(_ chunk: PNGChunks.Chunk) -> String? {
        guard hasImage, frameIndex >= 0, !(startsWithDefaultImage && frameIndex == 0) else {
            return "pixels of a frame without a frame header"
        }
        hasData = true
        var reader = ByteReader(chunk.payload)
        return sequenceProblem(reader.bigEndian(UInt32.self).map { Int($0) } ?? -1)
    }

    private mutating func imageProblem() -> String? {
        guard !hasImage else { return nil }
        hasImage = true
        guard frameIndex >= 0 else { return nil }
        startsWithDefaultImage = true
        hasData = true
        return nil
    }

    private mutating func sequenceProblem(_ number: Int) -> String? {
        defer { nextSequenceNumber += 1 }
        guard number != nextSequenceNumber else { return nil }
        return "sequence number \(number) instead of \(nextSequenceNumber)"
    }
}
