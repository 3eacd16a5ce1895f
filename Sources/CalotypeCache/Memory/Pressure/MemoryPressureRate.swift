/// A rate limit for pressure events, which repeat while memory is short: a cache that is emptied again and
/// again is useless.
///
/// Within a window of 10 s, at most one warning and one critical event pass. A critical event may follow a
/// warning at once. A warning does not follow a critical event, which has already released everything.
struct MemoryPressureRate {
    /// The time for which an event blocks others of its kind.
    static let window = Duration.seconds(10)

    private var lastWarning: Duration?
    private var lastCritical: Duration?

    /// Returns whether an event passes; a passed event counts.
    ///
    /// - Parameters:
    ///   - pressure: Its kind.
    ///   - uptime: The current time, relative to any fixed moment.
    /// - Returns: `false` for an event to be dropped.
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
