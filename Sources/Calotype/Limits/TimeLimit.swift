/// Runs work with a time limit.
///
/// - Parameters:
///   - limit: The time limit.
///   - clock: The clock that measures the time.
///   - failure: Returns the error for work that exceeds the limit; the work is then cancelled.
///   - body: The work; it must end when it is cancelled.
/// - Returns: The result of the work.
/// - Throws: The error of the work, or that of `failure`.
func withTimeLimit<Value: Sendable>(
    _ limit: Duration,
    on clock: ContinuousClock = ContinuousClock(),
    failure: @escaping @Sendable () async throws -> any Error,
    _ body: @escaping @Sendable () async throws -> Value
) async throws -> Value {
    try await withThrowingTaskGroup(of: Value.self) { group in
        group.addTask { try await body() }
        group.addTask {
            try await clock.sleep(for: limit)
            throw try await failure()
        }
        defer { group.cancelAll() }
        guard let value = try await group.next() else { throw try await failure() }
        return value
    }
}

/// The end of the time that a call waits.
///
/// Time in which the machine is suspended does not count.
struct CallDeadline: Sendable {
    /// The time limit of the whole call.
    let limit: Duration
    private let end: SuspendingClock.Instant

    /// Creates the deadline of a call that begins now.
    init(after limit: Duration) {
        self.limit = limit
        // A longer time would overflow the instant.
        end = .now + min(limit, .seconds(1 << 32))
    }

    /// The time that is left; not positive after the deadline.
    var remaining: Duration { end - .now }
}
