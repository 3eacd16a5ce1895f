internal import CFileCalls
internal import CalotypeSupport

/// A thread that waits for events on several signals; it ends soon after the monitor is released.
final class MemoryPressureMonitor: Sendable {
    /// One end of a pipe; the thread has the other, and sees a hang-up when this one is closed.
    private let lifeline: Descriptor

    /// Starts the thread; returns `nil` if there is no signal, or no pipe or thread can be created.
    init?(
        signals: [any MemoryPressureSignal],
        startThread: BlockingPool.ThreadStart,
        uptime: @escaping @Sendable () -> Duration,
        handler: @escaping @Sendable (MemoryPressure) -> Void
    ) {
        guard !signals.isEmpty, let pipe = Self.makePipe() else { return nil }
        lifeline = pipe.writing
        let reading = pipe.reading
        let isStarted = startThread("calotype-memory") {
            waitForSignals(signals, until: reading, uptime: uptime, handler: handler)
        }
        guard isStarted else { return nil }
    }

    private static func makePipe() -> (reading: Descriptor, writing: Descriptor)? {
        var numbers: [Int32] = [-1, -1]
        guard unsafe calotype_pipe(&numbers) == 0,
            let reading = Descriptor(numbers[0]), let writing = Descriptor(numbers[1])
        else { return nil }
        return (reading, writing)
    }
}

/// Waits and calls the handler until the lifeline hangs up or every signal is broken.
private func waitForSignals(
    _ allSignals: [any MemoryPressureSignal],
    until lifeline: Descriptor,
    uptime: () -> Duration,
    handler: (MemoryPressure) -> Void
) {
    var signals = allSignals
    var rate = MemoryPressureRate()
    while !signals.isEmpty {
        var polls = signals.map { pollfd(fd: $0.descriptor.number, events: Int16(POLLPRI), revents: 0) }
        polls.append(pollfd(fd: lifeline.number, events: Int16(POLLIN), revents: 0))
        let count = unsafe poll(&polls, nfds_t(polls.count), -1)
        guard count > 0 else {
            if errno == EINTR { continue }
            return
        }
        if polls[signals.count].revents != 0 { return }
        var remaining: [any MemoryPressureSignal] = []
        var worst: MemoryPressure?
        for (signal, poll) in zip(signals, polls) {
            let reading = poll.revents == 0 ? .nothing : signal.read(returnedEvents: poll.revents)
            if reading != .broken { remaining.append(signal) }
            if case .pressure(let pressure) = reading, worst != .critical { worst = pressure }
        }
        signals = remaining
        if let worst, rate.passes(worst, at: uptime()) { handler(worst) }
    }
}
