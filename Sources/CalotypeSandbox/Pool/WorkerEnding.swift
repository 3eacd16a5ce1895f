import CalotypeSupport

/// How a worker has ended, in words.
enum WorkerEnding {
    /// - Parameter status: As `calotype_sandbox_reap` tells it.
    /// - Returns: Why the job has no result.
    static func failure(_ status: Int32) -> JobFailure {
        switch status {
        case SIGXCPU: .timedOut
        case SIGSYS: .crashed("the worker made a call that its sandbox forbids")
        // Nothing that it does itself has this signal.
        case SIGKILL: .killed
        case SIGSEGV, SIGBUS: .crashed("the worker accessed invalid memory (signal \(status))")
        case SIGABRT, SIGILL, SIGTRAP: .crashed("the worker aborted (signal \(status))")
        case 1...: .crashed("the worker was terminated by signal \(status)")
        default: .crashed("the worker exited")
        }
    }
}
