/// How often pressure may be passed on: events come for as long as memory is short, and what is emptied again
/// and again is of no use to anybody.
///
/// Within a window of 10 s there is one warning at most and one critical event at most. A critical event may
/// follow a warning at once, a warning does not follow a critical event, which has taken everything.
struct MemoryPressureRate {
    /// How long an event keeps others of its kind back.
    static let window = Duration.seconds(10)

    private var lastWarning: Duration?
    private var lastCritical: Duration?

    /// Whether an event is passed on, which then counts.
    ///
    /// - Parameters:
    ///   - pressure: Its kind.
    ///   - uptime: When it is, since some moment that is the same in all calls.
    /// - Returns: `false` for one to be dropped.
    mutating func passes(_ pressure: MemoryPressure, at uptime: Duration) -> Bool {
        func isOver(_ last: Duration?) -> Bool { last.map { uptime - $0 >= Self.window } ?? true }
        switch pressure {
        case .warning:
            guard isOver(lastWarning), isOver(lastCritical) else { return false }
            lastWarning = uptime
        case .critical:
            guard isOver(lastCritical) else { return false }
            lastCritical = uptime
        }
        return true
    }
}
