import CalotypeCore
import FoundationEssentials

/// The properties of an animation known before any frame is decoded.
struct FrameSchedule: Hashable {
    /// The duration of each frame as returned by `Duration.frame(stated:)`; not empty.
    var durations: [Duration]
    var loopCount: LoopCount
    /// The frames from which decoding can start, in order; always includes 0.
    var keyFrames: [Int] = [0]

    /// The schedule of an incomplete animation: played once, so that its last frame stays until more have
    /// arrived.
    var ofPart: FrameSchedule {
        FrameSchedule(durations: durations, loopCount: .times(1), keyFrames: keyFrames)
    }
}

/// Reads the frames of one file in order, through a codec's C library.
///
/// One caller at a time.
protocol FrameReader: AnyObject {
    /// Reads the next frame and returns the canvas, in its stored size.
    ///
    /// `index` follows the last frame that was read, or is one to which the reader has moved.
    func readFrame(at index: Int) throws(DecodeError) -> Raster

    /// Prepares for reading the key frame `index`, with the canvas before it.
    func move(toKeyFrame index: Int) throws(DecodeError)
}

/// The frames of a file, decoded by the reader of its codec according to a decode plan.
struct FrameSequence: FrameSource {
    let schedule: FrameSchedule
    let plan: DecodePlan
    let format: ImageFormat
    let bytes: EncodedBytes
    let makeReader: @Sendable (EncodedBytes) throws(DecodeError) -> any FrameReader

    var frameCount: Int { schedule.durations.count }
    var loopCount: LoopCount { schedule.loopCount }
    var retainedByteCount: Int { bytes.byteCount }
    var maxDecodeDuration: Duration { plan.options.limits.maxDuration }

    var encodedData: Data? {
        // The bytes would have the truncated frames too.
        let isTruncated = plan.options.limits.mayTruncate(frameCount, of: plan.storedSize)
        return plan.givesWhole && !isTruncated ? bytes.data : nil
    }

    func duration(ofFrameAt index: Int) -> Duration { schedule.durations[index] }

    func makeDecoder() throws -> any AnimationDecoder {
        PlannedFrameDecoder(self, reader: try makeReader(bytes))
    }
}

/// Creates images from a reader's frames according to the plan.
private final class PlannedFrameDecoder: AnimationDecoder {
    private let sequence: FrameSequence
    private let reader: any FrameReader
    private(set) var nextIndex = 0

    init(_ sequence: FrameSequence, reader: any FrameReader) {
        self.sequence = sequence
        self.reader = reader
    }

    func nextFrame() throws -> Image {
        guard nextIndex < sequence.frameCount else {
            throw DecodeError(.truncated, format: sequence.format, detail: "there is no frame \(nextIndex)")
        }
        try DecodeError.checkStop(sequence.format)
        let canvas = try reader.readFrame(at: nextIndex)
        nextIndex += 1
        return try sequence.plan.image(from: canvas, format: sequence.format)
    }

    func seek(toward index: Int) throws {
        let keyFrame = sequence.schedule.keyFrames.last { $0 <= index } ?? 0
        try reader.move(toKeyFrame: keyFrame)
        nextIndex = keyFrame
    }
}
