import CalotypeSupport

/// Maps exit statuses of workers to failures.
enum WorkerExitStatus {
    /// Returns the failure for a status of `calotype_sandbox_reap`.
    static func failure(_ status: Int32) -> JobFailure {
        switch status {
        case SIGXCPU: .timedOut
        case SIGSYS: .crashed("the worker made a call that its sandbox forbids")
        // A worker never sends itself this signal.
        case SIGKILL: .killed
        case SIGSEGV, SIGBUS: .crashed("the worker accessed invalid memory (signal \(status))")
        case SIGABRT, SIGILL, SIGTRAP: .crashed("the worker aborted (signal \(status))")
        case 1...: .crashed("the worker was terminated by signal \(status)")
        default: .crashed("the worker exited")
        }
    }
}
