import CalotypeSupport

/// Lets changes through one at a time for each key, in the order they were issued; a barrier alone.
///
/// A store orders what it is given, but an image that must be encoded first reaches it later than a removal
/// issued after it.
final class KeyTurns: Sendable {
    typealias Queue = KeyedQueue<ImageKey, CheckedContinuation<Void, Never>>

    private let queue = Guarded(Queue())

    /// Waits for the turn, which is taken at the moment of the call, and does the work in it.
    ///
    /// - Parameters:
    ///   - turn: Whose turn.
    ///   - onPlaced: Called as soon as nothing that comes later can be ahead of the work.
    ///   - work: The work.
    /// - Returns: What the work returns.
    /// - Throws: What the work throws.
    @discardableResult
    func inTurn<Value, Failure: Error>(
        _ turn: Queue.Turn,
        onPlaced: () -> Void = {},
        _ work: () async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        await withCheckedContinuation { continuation in
            resume(queue.withLock { $0.append(continuation, for: turn) })
            onPlaced()
        }
        defer { resume(queue.withLock { $0.finish(turn) }) }
        return try await work()
    }

    private func resume(_ starts: [Queue.Start]) {
        for start in starts { start.work.resume() }
    }
}
