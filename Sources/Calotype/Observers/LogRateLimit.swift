/// The rate limit of a log's lines; pure.
///
/// A token bucket: holds as many tokens as lines may be written at once, and fills at a constant rate.
struct LogRateLimit: Sendable {
    /// Lines per second.
    let rate: Double

    /// The maximum number of lines at once.
    let burst: Double

    private var available: Double
    private var updatedAt: Duration = .zero
    private var suppressedCount = 0

    init(linesPerSecond rate: Int, burst: Int) {
        self.rate = Double(rate)
        self.burst = Double(burst)
        available = Double(burst)
    }

    /// Takes a line from the budget; `now` is the time since the log began.
    ///
    /// - Returns: The number of lines suppressed since the last one; `nil` if this one is suppressed too.
    mutating func takeLine(at now: Duration) -> Int? {
        let passed = max(.zero, now - updatedAt)
        updatedAt = max(now, updatedAt)
        available = min(burst, available + rate * (passed / .seconds(1)))
        guard available >= 1 else {
            suppressedCount += 1
            return nil
        }
        available -= 1
        defer { suppressedCount = 0 }
        return suppressedCount
    }
}
