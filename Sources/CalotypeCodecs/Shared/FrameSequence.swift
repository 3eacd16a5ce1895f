import CalotypeCore
import FoundationEssentials

/// What a file tells of its animation before any frame is decoded.
struct FrameSchedule: Hashable {
    /// How long each frame is shown, as `Duration.frame(stated:)` has it; not empty.
    var durations: [Duration]
    var loopCount: LoopCount
    /// The frames from which decoding can start, in order; 0 is always one.
    var keyFrames: [Int] = [0]

    /// The same for the frames that have come of an animation: played once, so that its last frame stays
    /// until more have come.
    var ofPart: FrameSchedule {
        FrameSchedule(durations: durations, loopCount: .times(1), keyFrames: keyFrames)
    }
}

/// Reads the frames of one file in order: what a codec's C side has for it.
///
/// One caller at a time.
protocol FrameReader: AnyObject {
    /// The canvas after the next frame, in its stored size.
    ///
    /// `index` is that of the frame after the last that was read, or one to which the reader has moved.
    func readFrame(at index: Int) throws(DecodeError) -> Raster

    /// Makes ready to read the key frame `index`, with a canvas as it is before that.
    func move(toKeyFrame index: Int) throws(DecodeError)
}

/// The frames of a file, through the reader of its codec and the plan of the decode.
struct FrameSequence: FrameSource {
    let schedule: FrameSchedule
    let plan: DecodePlan
    let format: ImageFormat
    let bytes: EncodedBytes
    let makeReader: @Sendable (EncodedBytes) throws(DecodeError) -> any FrameReader

    var frameCount: Int { schedule.durations.count }
    var loopCount: LoopCount { schedule.loopCount }
    var retainedByteCount: Int { bytes.byteCount }
    var decodeDurationMax: Duration { plan.options.limits.durationMax }

    var encodedData: Data? { plan.givesWhole ? bytes.data : nil }

    func duration(ofFrameAt index: Int) -> Duration { schedule.durations[index] }

    func makeDecoder() throws -> any AnimationDecoder {
        PlannedFrameDecoder(self, reader: try makeReader(bytes))
    }
}

/// Makes images out of what a reader gives, as the plan has it.
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
