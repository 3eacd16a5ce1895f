import CalotypeSupport

/// A progress line on a terminal, drawn at most every 100 ms.
final class ProgressBar: Sendable {
    private struct State: Sendable {
        var line: ProgressLine
        var rate: TransferRate
        let startedAt: ContinuousClock.Instant
        var drawnAt: ContinuousClock.Instant?
    }

    private static let interval = Duration.milliseconds(100)

    private let console: Console
    private let now: @Sendable () -> ContinuousClock.Instant
    private let state: Guarded<State>

    /// Creates a bar for a number of items, drawn at the first change.
    init(
        _ console: Console,
        totalCount: Int,
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) {
        self.console = console
        self.now = now
        let start = now()
        let line = ProgressLine(totalCount: totalCount)
        state = Guarded(State(line: line, rate: TransferRate(at: start), startedAt: start))
    }

    /// Changes the state of the bar, and draws it if it is due.
    func update(_ change: @Sendable (inout ProgressLine) -> Void) {
        guard let width = console.progressWidth else { return }
        let time = now()
        let line: ProgressLine? = state.withLock { state in
            change(&state.line)
            if let drawnAt = state.drawnAt, time - drawnAt < Self.interval { return nil }
            state.drawnAt = time
            state.rate.note(byteCount: state.line.receivedByteCount, at: time)
            state.line.byteRate = state.rate.bytesPerSecond
            state.line.elapsed = time - state.startedAt
            return state.line
        }
        if let line { console.showProgress(line.text(width: width)) }
    }

    func finish() {
        guard console.progressWidth != nil else { return }
        console.showProgress(nil)
    }
}
