/// How many lines a log may have: a pure value, told the time.
///
/// A bucket of tokens: it holds as many as there may be lines at once, and fills at a steady rate.
struct LineBudget: Sendable {
    /// Lines a second.
    let rate: Double

    /// Lines at once.
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
    /// - Returns: How many lines were left out since the last one; `nil` where this one is left out too.
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
