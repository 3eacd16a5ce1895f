import CalotypeCodecs
import CalotypeCore
package import CalotypeSupport
import CalotypeTransforms

/// Why a worker has not done a job.
package enum JobFailure: MemoryFailure {
    /// It ended, or answered what cannot be.
    case crashed(String)
    /// It took longer than it may, by the clock or in processor time.
    case timedOut
    /// Nobody waits for the result any more, or too much of its kind is stuck.
    case stopped(WorkStop.Reason)
    case memoryExceeded
    /// There is no worker, or no memory to hand the input over in.
    case unavailable(String)

    static func outOfMemory(byteCount: Int) -> JobFailure {
        .unavailable("there is no room for \(byteCount) bytes that a worker has made")
    }

    /// How the worker of the job was lost.
    var loss: CodecWorkers.Loss {
        switch self {
        case .crashed: .crashed
        case .timedOut, .stopped(.timedOut): .timedOut
        case .stopped: .cancelled
        case .memoryExceeded: .memoryExceeded
        case .unavailable: .unavailable
        }
    }

    func decodeError(_ format: ImageFormat?) -> DecodeError {
        switch self {
        case .crashed(let detail): DecodeError(.crashed, format: format, detail: detail)
        case .timedOut: DecodeError(WorkStop.Reason.timedOut, format: format)
        case .stopped(let reason): DecodeError(reason, format: format)
        case .memoryExceeded:
            DecodeError(
                .memoryExceeded,
                format: format,
                detail:
                    "the decode took more memory than CodecWorkers.Configuration.memoryByteCountMax; ask for "
                    + "a smaller image, or raise that"
            )
        case .unavailable(let detail): DecodeError(.workerUnavailable, format: format, detail: detail)
        }
    }

    var transformError: TransformError {
        switch self {
        case .crashed(let detail): TransformError(.crashed, detail: detail)
        case .timedOut, .stopped:
            TransformError(
                .timedOut,
                detail: "transforming took longer than CodecWorkers.Configuration.transformDurationMax"
            )
        case .memoryExceeded:
            TransformError(
                .memoryExceeded,
                detail: "transforming took more memory than CodecWorkers.Configuration.memoryByteCountMax"
            )
        case .unavailable(let detail): TransformError(.workerUnavailable, detail: detail)
        }
    }

    func encodeError(_ format: ImageFormat) -> EncodeError {
        switch self {
        case .crashed(let detail): EncodeError(.crashed, format: format, detail: detail)
        case .timedOut, .stopped:
            EncodeError(
                .timedOut,
                format: format,
                detail: "encoding took longer than CodecWorkers.Configuration.encodeDurationMax"
            )
        case .memoryExceeded:
            EncodeError(
                .memoryExceeded,
                format: format,
                detail: "encoding took more memory than CodecWorkers.Configuration.memoryByteCountMax"
            )
        case .unavailable(let detail): EncodeError(.workerUnavailable, format: format, detail: detail)
        }
    }
}
