internal import CThreadCalls

/// Threads of the system, which it may refuse.
package enum SystemThread {
    /// Starts a thread that runs `body` and ends with it.
    ///
    /// The thread takes none of the program's signals, whatever thread starts it: a handler, or a thread of
    /// the program that waits for signals, would miss them. Those that an instruction of its own raises stay.
    ///
    /// - Parameters:
    ///   - name: What debuggers and process listings show; of more than 15 bytes the first 15.
    ///   - body: What it does.
    /// - Returns: Whether the system had a thread to give; `body` is released where it had none.
    package static func start(name: String, body: @escaping @Sendable () -> Void) -> Bool {
        var signals = sigset_t()
        var former = sigset_t()
        unsafe sigfillset(&signals)
        for signal in [SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS] {
            unsafe sigdelset(&signals, signal)
        }
        // A thread begins with the mask of the one that starts it.
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

    /// Lets other threads go before the calling one, by as much as `nice(1)` says; for good.
    ///
    /// - Parameter niceness: 0...19; the system ignores what it does not allow.
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
    // The pointer is what `SystemThread.start` retained for this thread.
    guard let context = unsafe context else { return nil }
    let start = unsafe Unmanaged<Start>.fromOpaque(context).takeRetainedValue()
    unsafe calotype_thread_set_name(start.name)
    start.body()
    return nil
}
