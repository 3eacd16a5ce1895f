/// Runs a piece of work for at most a while.
///
/// - Parameters:
///   - limit: How long it may take.
///   - clock: What measures it.
///   - failure: The error for when it takes longer; the work is cancelled then.
///   - body: The work; it must end when it is cancelled.
/// - Returns: What the work returns.
/// - Throws: What the work throws, or the error.
func withTimeLimit<Value: Sendable>(
    _ limit: Duration,
    on clock: ContinuousClock = ContinuousClock(),
    _ failure: @escaping @Sendable () -> any Error,
    _ body: @escaping @Sendable () async throws -> Value
) async throws -> Value {
    try await withThrowingTaskGroup(of: Value.self) { group in
        group.addTask { try await body() }
        group.addTask {
            try await clock.sleep(for: limit)
            throw failure()
        }
        defer { group.cancelAll() }
        guard let value = try await group.next() else { throw failure() }
        return value
    }
}
