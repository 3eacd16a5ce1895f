internal import CThreadCalls

/// Threads of the system, which may refuse to start one.
package enum SystemThread {
    /// Starts a thread that runs `body` and ends with it.
    ///
    /// The thread blocks the program's signals, whatever thread starts it: otherwise a handler, or a thread
    /// of the program that waits for signals, would miss them. Signals raised by an instruction of the thread
    /// itself stay unblocked.
    ///
    /// - Parameters:
    ///   - name: The name in debuggers and process listings; only the first 15 bytes are used.
    ///   - body: The work of the thread.
    /// - Returns: True if the thread was started; if not, `body` is released.
    package static func start(name: String, body: @escaping @Sendable () -> Void) -> Bool {
        var signals = sigset_t()
        var former = sigset_t()
        unsafe sigfillset(&signals)
        for signal in [SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS] {
            unsafe sigdelset(&signals, signal)
        }
        // A new thread inherits the signal mask of the thread that starts it.
        unsafe pthread_sigmask(SIG_SETMASK, &signals, &former)
        defer { unsafe pthread_sigmask(SIG_SETMASK, &former, nil) }
        let start = unsafe Unmanaged.passRetained(Start(name: name, body: body))
        var thread = pthread_t()
        guard unsafe pthread_create(&thread, nil, threadMain, start.toOpaque()) == 0 else {
            unsafe start.release()
            return false
        }
        pthread_detach(thread)
        return true
    }

    /// Lowers the priority of the calling thread permanently, by a value of `nice(1)`.
    ///
    /// - Parameter niceness: 0...19; the system ignores a value that it does not allow.
    package static func beNice(_ niceness: Int) {
        calotype_thread_be_nice(CInt(clamping: niceness))
    }
}

private final class Start: Sendable {
    let name: String
    let body: @Sendable () -> Void

    init(name: String, body: @escaping @Sendable () -> Void) {
        self.name = name
        self.body = body
    }
}

private func threadMain(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    // The pointer is the one that `SystemThread.start` retained for this thread.
    guard let context = unsafe context else { return nil }
    let start = unsafe Unmanaged<Start>.fromOpaque(context).takeRetainedValue()
    unsafe calotype_thread_set_name(start.name)
    start.body()
    return nil
}
