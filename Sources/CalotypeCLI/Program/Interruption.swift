import CalotypeSupport

/// The pipe through which the signal handler, which may do next to nothing, wakes a thread that may do
/// anything.
private let wakePipe: (reading: Int32, writing: Int32) = {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else {
        preconditionFailure("no pipe for signals: \(SystemError.text(errno))")
    }
    // Programs that this one starts have no use for it.
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    return (ends[0], ends[1])
}()

/// Turns SIGINT and SIGTERM into a call; the process ends within a second of it, unless a command has asked
/// for longer, and at once with a second signal.
///
/// A blocked library call cannot be cancelled, so only the end of the process ends it.
/// Caches are made to be killed at any moment.
///
/// Blocking the signals and waiting for them would be simpler, but the main thread of an asynchronous program
/// unblocks all signals while it waits.
final class Interruption: Sendable {
    /// The end of the process after a first signal.
    private struct Plan {
        /// The time that the call has to clean up.
        var graceMilliseconds: Int32 = 1_000
        /// Whether the status is the command's own.
        var keepsStatus = false
        /// Is told of signals that end nothing.
        var noticeHandler: (@Sendable (Int32) -> Void)?
    }

    /// The signals that end a program unless a command has a use for them.
    private static let notices: Set<Int32> = [SIGHUP, SIGUSR1, SIGUSR2]

    private static let plan = Guarded(Plan())

    /// Has what runs end by itself after a signal, with a status of its own, if it does so in time.
    ///
    /// - Parameter grace: How long it may take.
    static func letEnd(within grace: Duration) {
        let milliseconds =
            grace.components.seconds * 1000 + grace.components.attoseconds / 1_000_000_000_000_000
        plan.withLock { plan in
            plan.keepsStatus = true
            plan.graceMilliseconds = Int32(clamping: milliseconds)
        }
    }

    /// Has a handler called for each SIGHUP, SIGUSR1 and SIGUSR2 from now on, in place of ending the process.
    ///
    /// A signal that the caller has the program ignore, as `nohup` does with SIGHUP, stays ignored.
    static func onNotice(_ handler: @escaping @Sendable (Int32) -> Void) {
        plan.withLock { $0.noticeHandler = handler }
        for number in notices where !isIgnored(number) { catchSignal(number) }
    }

    private let received = Guarded<Int32?>(nil)
    private let thread = BlockingPool(width: 1)

    init() {
        // The handler must find the pipe made.
        _ = wakePipe
        for number in [SIGINT, SIGTERM] where !Self.isIgnored(number) { Self.catchSignal(number) }
        // A reader of standard output that has gone is an error of the write, not the end of the process.
        signal(SIGPIPE, SIG_IGN)
    }

    private static func catchSignal(_ number: Int32) {
        signal(number) { number in
            var byte = UInt8(truncatingIfNeeded: number)
            let savedError = errno
            // A full pipe means that there has been a signal already.
            _ = write(wakePipe.writing, &byte, 1)
            errno = savedError
        }
    }

    /// Whether the caller has the program ignore a signal, as `nohup` and a shell's `&` do.
    private static func isIgnored(_ number: Int32) -> Bool {
        var action = sigaction()
        guard sigaction(number, nil, &action) == 0 else { return false }
        // Functions cannot be compared, and SIG_IGN is none: it is the address 1.
        let handler = unsafeBitCast(action.__sigaction_handler.sa_handler, to: UInt.self)
        return handler == unsafeBitCast(SIG_IGN, to: UInt.self)
    }

    /// The exit status where a signal has come; `nil` where none has.
    ///
    /// - Parameter own: The command's own, which counts where it ends by itself.
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

    /// Waits for a second signal that ends the process, for as long as the grace lasts.
    private static func waitForAnother() {
        let end = ContinuousClock.now + .milliseconds(Int(plan.withLock(\.graceMilliseconds)))
        while true {
            let rest = Int32(clamping: max(0, Int((end - .now) / .milliseconds(1))))
            var entry = pollfd(fd: wakePipe.reading, events: Int16(POLLIN), revents: 0)
            // The thread takes no signals, so nothing breaks the wait off.
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
