import CalotypeCodecs
import CalotypeCore
import FoundationEssentials

/// The frames of an animation, decoded by workers.
///
/// The worker that decoded the last frame continues; if it is gone, another worker starts from the first
/// frame.
final class WorkerFrames: FrameSource {
    let frameCount: Int
    let loopCount: LoopCount
    let encodedData: Data?
    fileprivate let size: PixelSize
    fileprivate let data: Data
    fileprivate let options: DecodeOptions
    fileprivate let format: ImageFormat?
    fileprivate let pool: WorkerPool
    private let durations: [Duration]

    /// Creates the frames from the animation header in a response.
    ///
    /// - Throws: ``JobFailure`` if the header is invalid.
    init(
        _ head: AnimationHead,
        of image: Image,
        _ data: Data,
        _ options: DecodeOptions,
        _ outcome: WorkerProcess.Outcome,
        _ pool: WorkerPool
    ) throws(JobFailure) {
        try check(head.frameCount <= options.limits.maxFrameCount, "more frames than the limit")
        let bytes = try outcome.data(byteCount: head.frameCount * Duration.wiredByteCount)
        do throws(WireError) {
            durations = try head.durations(from: bytes)
        } catch {
            throw .crashed(error.detail)
        }
        try check(durations.allSatisfy { $0 > .zero && $0 <= .maxFrame }, "a frame duration out of range")
        (frameCount, loopCount) = (head.frameCount, head.loopCount)
        (self.data, self.options, self.pool) = (data, options, pool)
        (size, format) = (image.size, image.format)
        encodedData = head.isWhole ? data : nil
    }

    var retainedByteCount: Int { data.count }
    var maxDecodeDuration: Duration { options.limits.maxDuration }

    func duration(ofFrameAt index: Int) -> Duration { durations[index] }

    func makeDecoder() -> any AnimationDecoder { WorkerAnimationDecoder(self) }
}

private final class WorkerAnimationDecoder: AnimationDecoder {
    private let frames: WorkerFrames
    private let session: Int
    private(set) var nextIndex = 0

    init(_ frames: WorkerFrames) {
        self.frames = frames
        session = frames.pool.nextSession()
    }

    func nextFrame() throws -> Image {
        let index = nextIndex
        guard index < frames.frameCount else {
            throw DecodeError(.truncated, format: frames.format, detail: "there is no frame \(index)")
        }
        let frame: Image = try run(.frame(session: session, frames.options, index: index)) {
            outcome throws(JobFailure) in
            guard case .image(let head) = outcome.answer else { return nil }
            try check(head.size == frames.size, "a frame of another size")
            return try head.image(outcome, frames.options)
        }
        nextIndex += 1
        return frame
    }

    func seek(toward index: Int) throws {
        nextIndex = try run(.seek(session: session, frames.options, index: index)) {
            outcome throws(JobFailure) in
            guard case .moved(let place) = outcome.answer else { return nil }
            try check((0...index).contains(place), "a frame index after the requested one")
            return place
        }
    }

    private func run<Value>(
        _ job: Job,
        _ take: (WorkerProcess.Outcome) throws(JobFailure) -> Value?
    ) throws(DecodeError) -> Value {
        try frames.pool.decode(
            job,
            session: session,
            frames.options.limits,
            frames.format,
            inputs: { [data = frames.data] areKnown in areKnown ? [] : [.data(data)] },
            take
        )
    }
}
