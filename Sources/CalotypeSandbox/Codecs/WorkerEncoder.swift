import CalotypeCodecs
import CalotypeCore
import FoundationEssentials

/// An encoder that works in a worker, which asks for the frames of an animation as it needs them.
struct WorkerEncoder<Base: ImageEncoder>: ImageEncoder {
    let base: Base
    let place: Place

    /// Where it works: no part of what it is.
    struct Place: Hashable, Sendable {
        let pool: WorkerPool
        /// Frames come from workers themselves: who waits for them is none of those.
        let animationPool: WorkerPool
        let durationMax: Duration

        static func == (left: Place, right: Place) -> Bool { left.pool === right.pool }

        func hash(into hasher: inout Hasher) {}
    }

    var format: ImageFormat { base.format }
    var cacheIdentity: String { base.cacheIdentity }

    func adjusted(by adjustment: EncodeAdjustment) throws(EncodeError) -> WorkerEncoder {
        WorkerEncoder(base: try base.adjusted(by: adjustment), place: place)
    }

    func encode(_ image: Image) throws(EncodeError) -> Data {
        guard let wired = WiredEncoder(base) else { return try base.encode(image) }
        // Of the others the first frame is written.
        let animation = WorkerKind(format) == .common ? image.animation : nil
        var head = ImageHead(image)
        head.animation = animation.map { AnimationHead($0, of: image) }
        var inputs = [Payload.pixels(image.pixels)]
        if case .icc(let profile) = image.colorSpace, !profile.isEmpty {
            head.profileByteCount = profile.count
            inputs.append(.data(profile))
        }
        if let animation { inputs.append(.data(animation.durationBytes)) }
        let result: Result<Data, EncodeError>
        do throws(JobFailure) {
            result = try (animation == nil ? place.pool : place.animationPool).run(
                .encode(wired, head),
                atMost: place.durationMax,
                inputs: { _ in inputs },
                frame: animation.map { Self.frames(of: $0) },
                { outcome throws(JobFailure) in try take(outcome, atMost: Self.byteCountMax(of: image)) }
            )
        } catch {
            throw error.encodeError(format)
        }
        return try result.get()
    }

    /// Gives the frames of an animation, as often as an encoder needs them that looks for a quality; who asks
    /// more often, or goes back more often, for which all frames may be decoded anew, is ended.
    private static func frames(of animation: Animation) -> WorkerProcess.FrameGiver {
        var countLeft = animation.frameCount * frameUseMax
        var (turnCountLeft, last) = (frameUseMax, -1)
        return { index in
            countLeft -= 1
            if index <= last { turnCountLeft -= 1 }
            last = index
            guard countLeft >= 0, turnCountLeft >= 0 else {
                throw JobFailure.crashed("the worker requested too many frames")
            }
            return try animation.decodeFrame(at: index)
        }
    }

    private static var frameUseMax: Int { 64 }

    /// The most bytes of a file: twice those of all pixels, 8 for each row, which may be padded or have an
    /// entry in a table, a profile, and what each frame and file has beside.
    static func byteCountMax(of image: Image) -> Int {
        var profileByteCount = 0
        if case .icc(let profile) = image.colorSpace { profileByteCount = profile.count }
        // The pixels are in memory, so that neither product overflows.
        let rows = 8 * image.size.height + 4_096
        let frame = image.pixels.byteCount.multipliedReportingOverflow(by: 2)
        let frameCount = image.animation?.frameCount ?? 1
        let frames = frame.partialValue.addingReportingOverflow(rows)
        let all = frames.partialValue.multipliedReportingOverflow(by: frameCount)
        let sum = all.partialValue.addingReportingOverflow(profileByteCount + (1 << 20))
        let isOver = frame.overflow || frames.overflow || all.overflow || sum.overflow
        return isOver ? .max : sum.partialValue
    }

    private func take(
        _ outcome: WorkerProcess.Outcome,
        atMost countMax: Int
    ) throws(JobFailure) -> Result<Data, EncodeError> {
        switch outcome.answer {
        case .bytes(let count):
            try check(count <= countMax, "more encoded bytes than the limit")
            return .success(try outcome.data(byteCount: count))
        case .failure(let label, _, let detail):
            guard let code = EncodeError.Code(label: label) else {
                throw .crashed("the worker sent an unknown error code")
            }
            if code == .outOfMemory { throw .memoryExceeded }
            return .failure(EncodeError(code, format: format, detail: detail))
        default: throw .crashed("the worker sent an unexpected response type")
        }
    }
}

/// An encoder that works in workers already.
protocol EncoderInWorkers {}

extension WorkerEncoder: EncoderInWorkers {}

extension ImageEncoder {
    /// The same encoder at work in workers; itself where it is so already.
    func placed(in pools: WorkerPools, atMost durationMax: Duration) -> any ImageEncoder {
        guard !(self is any EncoderInWorkers) else { return self }
        return WorkerEncoder(
            base: self,
            place: .init(
                pool: pools[[format]],
                animationPool: pools[.animation],
                durationMax: durationMax
            )
        )
    }
}
