import CalotypeSupport

/// A queue that runs the changes of each key one at a time, in the order they were issued; a barrier runs
/// alone.
///
/// A store orders the operations it receives, but an image that must be encoded first reaches it later than a
/// removal issued after it.
final class KeyTurns: Sendable {
    typealias Queue = KeyedQueue<ImageKey, CheckedContinuation<Void, Never>>

    private let queue = Guarded(Queue())

    /// The keys with running or waiting changes.
    var busyKeys: Set<ImageKey> { queue.withLock(\.busyKeys) }

    /// Waits for the turn, which is reserved at the moment of the call, and runs the work in it.
    ///
    /// - Parameters:
    ///   - turn: The key, or the barrier.
    ///   - onPlaced: Called as soon as no later work can precede this one.
    ///   - work: The work.
    /// - Returns: The result of the work.
    /// - Throws: The error of the work.
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
