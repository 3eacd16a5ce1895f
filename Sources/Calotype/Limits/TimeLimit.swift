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
