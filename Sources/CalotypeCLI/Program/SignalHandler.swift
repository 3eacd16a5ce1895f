import CalotypeSupport

/// A pipe from the signal handler, which may call only async-signal-safe functions, to a thread that may do
/// anything.
private let wakePipe: (reading: Int32, writing: Int32) = {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else {
        preconditionFailure("cannot create a pipe for signals: \(SystemError.text(errno))")
    }
    // Child processes do not need it.
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    return (ends[0], ends[1])
}()

/// Calls a closure on SIGINT and SIGTERM.
///
/// The process ends within a second of the signal, unless a command has requested more time, and at once on a
/// second signal.
///
/// A blocked library call cannot be cancelled, so only the end of the process ends it. Caches tolerate being
/// killed at any moment.
///
/// Blocking the signals and waiting for them would be simpler, but the main thread of an asynchronous program
/// unblocks all signals while it waits.
final class SignalHandler: Sendable {
    /// The behaviour after a first signal.
    private struct Plan {
        /// The time for cleanup.
        var graceMilliseconds: Int32 = 1_000
        /// Whether the command's own exit status is used.
        var keepsStatus = false
        /// Called for signals that do not end the process.
        var noticeHandler: (@Sendable (Int32) -> Void)?
    }

    /// Signals that end a program unless a command handles them.
    private static let notices: Set<Int32> = [SIGHUP, SIGUSR1, SIGUSR2]

    private static let plan = Guarded(Plan())

    /// Lets the command end by itself after a signal, with its own exit status, within a time.
    static func letEnd(within grace: Duration) {
        let milliseconds =
            grace.components.seconds * 1000 + grace.components.attoseconds / 1_000_000_000_000_000
        plan.withLock { plan in
            plan.keepsStatus = true
            plan.graceMilliseconds = Int32(clamping: milliseconds)
        }
    }

    /// Calls a handler for each SIGHUP, SIGUSR1 and SIGUSR2 from now on, instead of ending the process.
    ///
    /// A signal that the program's caller ignores, as `nohup` does with SIGHUP, stays ignored.
    static func onNotice(_ handler: @escaping @Sendable (Int32) -> Void) {
        plan.withLock { $0.noticeHandler = handler }
        for number in notices where !isIgnored(number) { catchSignal(number) }
    }

    private let received = Guarded<Int32?>(nil)
    private let thread = BlockingPool(width: 1)

    init() {
        // The pipe must exist before the handler is installed.
        _ = wakePipe
        for number in [SIGINT, SIGTERM] where !Self.isIgnored(number) { Self.catchSignal(number) }
        // A closed standard output is an error of the write, not the end of the process.
        signal(SIGPIPE, SIG_IGN)
    }

    private static func catchSignal(_ number: Int32) {
        signal(number) { number in
            var byte = UInt8(truncatingIfNeeded: number)
            let savedError = errno
            // A full pipe means that a signal is already pending.
            _ = write(wakePipe.writing, &byte, 1)
            errno = savedError
        }
    }

    /// Whether the caller ignores a signal for the program, as `nohup` and a shell's `&` do.
    private static func isIgnored(_ number: Int32) -> Bool {
        var action = sigaction()
        guard sigaction(number, nil, &action) == 0 else { return false }
        // Functions cannot be compared, and SIG_IGN is not a function: it is the address 1.
        let handler = unsafeBitCast(action.__sigaction_handler.sa_handler, to: UInt.self)
        return handler == unsafeBitCast(SIG_IGN, to: UInt.self)
    }

    /// Returns the exit status after a signal, or `nil` without one.
    ///
    /// - Parameter own: The command's own status, used if it ends by itself.
    /// - Returns: The status.
    func exitStatus(own: Int32) -> Int32? {
        let keepsStatus = Self.plan.withLock(\.keepsStatus)
        return received.withLock { $0 }.map { keepsStatus ? own : 128 + $0 }
    }

    /// Calls `body` when the first signal comes.
    func onSignal(_ body: @escaping @Sendable () -> Void) {
        thread.enqueue { [self] in
            let first = Self.wait()
            received.withLock { $0 = first }
            body()
            Self.waitForAnother()
            TemporaryNames.removeFiles()
            _exit(128 + first)
        }
    }

    /// Waits up to the grace time for a second signal that ends the process.
    private static func waitForAnother() {
        let end = ContinuousClock.now + .milliseconds(Int(plan.withLock(\.graceMilliseconds)))
        while true {
            let rest = Int32(clamping: max(0, Int((end - .now) / .milliseconds(1))))
            var entry = pollfd(fd: wakePipe.reading, events: Int16(POLLIN), revents: 0)
            // The thread takes no signals, so nothing interrupts the wait.
            guard poll(&entry, 1, rest) > 0, notices.contains(next()) else { return }
        }
    }

    /// Waits for the first signal that ends the process.
    private static func wait() -> Int32 {
        while true {
            let number = next()
            guard notices.contains(number) else { return number }
            plan.withLock(\.noticeHandler)?(number)
        }
    }

    private static func next() -> Int32 {
        var byte: UInt8 = 0
        while read(wakePipe.reading, &byte, 1) != 1 {}
        return Int32(byte)
    }
}
