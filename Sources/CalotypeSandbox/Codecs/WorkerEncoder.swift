import CalotypeCodecs
import CalotypeCore
import FoundationEssentials

/// An encoder that runs in a worker, which requests the frames of an animation one at a time.
struct WorkerEncoder<Base: ImageEncoder>: ImageEncoder {
    let base: Base
    let place: Place

    /// The pools and the time limit; not part of the encoder's hash.
    struct Place: Hashable, Sendable {
        let pool: WorkerPool
        /// Separate from the pools that decode the frames, so that no worker waits for a worker of its own
        /// pool.
        let animationPool: WorkerPool
        let maxDuration: Duration

        static func == (left: Place, right: Place) -> Bool { left.pool === right.pool }

        func hash(into hasher: inout Hasher) {}
    }

    var format: ImageFormat { base.format }
    var cacheIdentity: String { base.cacheIdentity }

    func adjusted(by adjustment: EncodeAdjustment) throws(EncodeError) -> WorkerEncoder {
        WorkerEncoder(base: try base.adjusted(by: adjustment), place: place)
    }

    func encode(_ image: Image) throws(EncodeError) -> Data {
        guard let message = EncoderMessage(base) else { return try base.encode(image) }
        // Encoders of other kinds write the first frame only.
        let animation = WorkerKind(format) == .common ? image.animation : nil
        var head = ImageHead(image)
        head.animation = animation.map { AnimationHead($0, of: image) }
        var inputs = [Payload.pixels(image.pixels)]
        if case .icc(let profile) = image.colorSpace, !profile.isEmpty {
            head.profileByteCount = profile.count
            inputs.append(.data(profile))
        }
        if let blocks = image.metadata.blocks, head.setBlocks(blocks) {
            inputs.append(.data(blocks.exif + blocks.xmp + blocks.iptc))
        }
        if let animation { inputs.append(.data(animation.durationBytes)) }
        let result: Result<Data, EncodeError>
        do throws(JobFailure) {
            result = try (animation == nil ? place.pool : place.animationPool).run(
                .encode(message, head),
                atMost: place.maxDuration,
                inputs: { _ in inputs },
                frame: animation.map { Self.frames(of: $0) },
                { outcome throws(JobFailure) in try take(outcome, atMost: Self.maxByteCount(of: image)) }
            )
        } catch {
            throw error.encodeError(format)
        }
        return try result.get()
    }

    /// Returns the callback for frames of an animation.
    ///
    /// An encoder that searches for a quality may read all frames several times. A worker that requests
    /// frames more often, or goes back more often, is terminated: going back may decode all frames again.
    private static func frames(of animation: Animation) -> WorkerProcess.FrameProvider {
        var countLeft = animation.frameCount * maxFrameUse
        var (turnCountLeft, last) = (maxFrameUse, -1)
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

    private static var maxFrameUse: Int { 64 }

    /// The maximum size of an encoded file in bytes.
    ///
    /// Twice the bytes of all pixels, 8 bytes per row for padding or table entries, the profile and metadata,
    /// and fixed overhead per frame and file.
    static func maxByteCount(of image: Image) -> Int {
        var profileByteCount = 0
        if case .icc(let profile) = image.colorSpace { profileByteCount = profile.count }
        profileByteCount += image.metadata.blocks?.byteCount ?? 0
        // The pixels are in memory, so this product cannot overflow.
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
        atMost maxCount: Int
    ) throws(JobFailure) -> Result<Data, EncodeError> {
        switch outcome.answer {
        case .bytes(let count):
            try check(count <= maxCount, "more encoded bytes than the limit")
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

/// Marks encoders that already run in workers.
protocol EncoderInWorkers {}

extension WorkerEncoder: EncoderInWorkers {}

extension ImageEncoder {
    /// Returns the encoder placed in workers, or itself if it already is.
    func placed(in pools: WorkerPools, atMost maxDuration: Duration) -> any ImageEncoder {
        guard !(self is any EncoderInWorkers) else { return self }
        return WorkerEncoder(
            base: self,
            place: .init(
                pool: pools[[format]],
                animationPool: pools[.animation],
                maxDuration: maxDuration
            )
        )
    }
}
