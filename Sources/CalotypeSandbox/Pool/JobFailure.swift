import CalotypeCodecs
import CalotypeCore
package import CalotypeSupport
import CalotypeTransforms

/// The reason a worker did not complete a job.
package enum JobFailure: MemoryFailure {
    /// The worker exited or sent an invalid response.
    case crashed(String)
    /// The worker exited before it received the job; another worker can run the job.
    case gone
    /// The worker was killed from outside, by an operator or by the system when memory ran out.
    case killed
    /// The worker was terminated because all workers together used too much memory.
    case crowdedOut
    /// The job exceeded its limit of wall-clock or processor time.
    case timedOut
    /// The job was cancelled, or too much work of its kind is stuck.
    case stopped(WorkStop.Reason)
    case memoryExceeded
    /// No worker is available, or not enough memory to send the input.
    case unavailable(String)

    static func outOfMemory(byteCount: Int) -> JobFailure {
        .unavailable("not enough memory for \(byteCount) bytes from a worker")
    }

    var loss: CodecWorkerStatistics.Loss {
        switch self {
        case .crashed: .crashed
        case .timedOut, .stopped(.timedOut): .timedOut
        case .stopped: .cancelled
        case .memoryExceeded: .memoryExceeded
        case .gone, .killed, .crowdedOut: .killed
        case .unavailable: .unavailable
        }
    }

    /// The detail of failures that are not caused by the image.
    private static func unavailableDetail(_ failure: JobFailure) -> String {
        switch failure {
        case .gone: "codec workers exit right after they start"
        case .killed: "the worker was killed from outside, possibly because memory ran out"
        case .crowdedOut:
            "all workers together used more than CodecWorkers.Configuration.maxTotalMemoryByteCount; "
                + "raise the limit, or run fewer jobs at once"
        case .unavailable(let detail): detail
        default: "\(failure)"
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
                    "the decode used more memory than CodecWorkers.Configuration.maxMemoryByteCount; "
                    + "request a smaller image, or raise the limit"
            )
        case .gone, .killed, .crowdedOut, .unavailable:
            DecodeError(.workerUnavailable, format: format, detail: Self.unavailableDetail(self))
        }
    }

    var transformError: TransformError {
        switch self {
        case .crashed(let detail): TransformError(.crashed, detail: detail)
        case .timedOut, .stopped:
            TransformError(
                .timedOut,
                detail: "transforming took longer than CodecWorkers.Configuration.maxTransformDuration"
            )
        case .memoryExceeded:
            TransformError(
                .memoryExceeded,
                detail: "transforming used more memory than CodecWorkers.Configuration.maxMemoryByteCount"
            )
        case .gone, .killed, .crowdedOut, .unavailable:
            TransformError(.workerUnavailable, detail: Self.unavailableDetail(self))
        }
    }

    func encodeError(_ format: ImageFormat) -> EncodeError {
        switch self {
        case .crashed(let detail): EncodeError(.crashed, format: format, detail: detail)
        case .timedOut, .stopped:
            EncodeError(
                .timedOut,
                format: format,
                detail: "encoding took longer than CodecWorkers.Configuration.maxEncodeDuration"
            )
        case .memoryExceeded:
            EncodeError(
                .memoryExceeded,
                format: format,
                detail: "encoding used more memory than CodecWorkers.Configuration.maxMemoryByteCount"
            )
        case .gone, .killed, .crowdedOut, .unavailable:
            EncodeError(.workerUnavailable, format: format, detail: Self.unavailableDetail(self))
        }
    }
}
