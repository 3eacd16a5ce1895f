import CalotypeCodecs
import CalotypeCore
import FoundationEssentials

/// An encoder that works in a worker; animations are encoded in the program, since their frames come from
/// workers themselves.
struct WorkerEncoder<Base: ImageEncoder>: ImageEncoder {
    let base: Base
    let place: Place

    /// Where it works: no part of what it is.
    struct Place: Hashable, Sendable {
        let pool: WorkerPool
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
        // A profile does not fit into a message; only who has kept it on request has one.
        if case .icc = image.colorSpace { return try base.encode(image) }
        guard image.animation == nil, let wired = WiredEncoder(base) else { return try base.encode(image) }
        let result: Result<Data, EncodeError>
        do throws(JobFailure) {
            result = try place.pool.run(
                .encode(wired, ImageHead(image)),
                atMost: place.durationMax,
                inputs: { _ in [.pixels(image.pixels)] },
                { outcome throws(JobFailure) in try take(outcome) }
            )
        } catch {
            throw error.encodeError(format)
        }
        return try result.get()
    }

    private func take(_ outcome: WorkerProcess.Outcome) throws(JobFailure) -> Result<Data, EncodeError> {
        switch outcome.answer {
        case .bytes(let count): return .success(try outcome.data(byteCount: count))
        case .failure(let label, _, let detail):
            guard let code = EncodeError.Code(label: label) else {
                throw .crashed("the worker answered with an error that there is not")
            }
            if code == .outOfMemory { throw .memoryExceeded }
            return .failure(EncodeError(code, format: format, detail: detail))
        default: throw .crashed("the worker answered another question")
        }
    }
}

/// An encoder that works in workers already.
protocol EncoderInWorkers {}

extension WorkerEncoder: EncoderInWorkers {}

extension ImageEncoder {
    /// The same encoder at work in a pool; itself where it is so already.
    func placed(in pool: WorkerPool, atMost durationMax: Duration) -> any ImageEncoder {
        guard !(self is any EncoderInWorkers) else { return self }
        return WorkerEncoder(base: self, place: .init(pool: pool, durationMax: durationMax))
    }
}
