internal import CalotypeSupport
internal import FoundationEssentials

/// The bytes of an original while they arrive, and those who look on.
final class Transfer: WorkBoard {
    typealias Listener = @Sendable (LoadProgress) -> Void

    /// The bytes since an offset.
    struct Arrival: Sendable {
        let bytes: Data
        /// Which attempt they belong to: after a failure another source begins from the first byte.
        let attempt: Int
    }

    private struct State: Sendable {
        var data = Data()
        var expectedByteCount: Int?
        var attempt = 0
        var isOver = false
        var listeners: [Listener] = []
        var waiters: [Int: CheckedContinuation<Void, Never>] = [:]
        var waiterCount = 0

        mutating func takeWaiters() -> [CheckedContinuation<Void, Never>] {
            defer { waiters = [:] }
            return Array(waiters.values)
        }
    }

    private let state = Guarded(State())

    /// Begins with the first byte, of the first source or of another.
    func begin(expectedByteCount: Int?) {
        state.withLock { state in
            state.attempt += 1
            state.expectedByteCount = expectedByteCount
            state.data = Data()
            state.data.reserveCapacity(min(expectedByteCount ?? 0, 1 << 20))
        }
    }

    /// Takes the next bytes, and tells how far it has come.
    func receive(_ chunk: Data) -> LoadProgress {
        let (progress, listeners, waiters) = state.withLock { state in
            state.data.append(chunk)
            let progress = LoadProgress(
                byteCount: state.data.count,
                expectedByteCount: state.expectedByteCount
            )
            return (progress, state.listeners, state.takeWaiters())
        }
        for waiter in waiters { waiter.resume() }
        for listener in listeners { listener(progress) }
        return progress
    }

    /// All bytes that have come; they are kept here no longer.
    func take() -> Data {
        state.withLock { state in
            defer { state.data = Data() }
            return state.data
        }
    }

    func end() {
        let waiters = state.withLock { state in
            state.isOver = true
            state.data = Data()
            state.listeners = []
            return state.takeWaiters()
        }
        for waiter in waiters { waiter.resume() }
    }

    /// Calls a closure whenever bytes have come, until the transfer has ended.
    func listen(_ listener: @escaping Listener) {
        state.withLock { state in
            if !state.isOver { state.listeners.append(listener) }
        }
    }

    /// The bytes from an offset on, as soon as there are any; `nil` at the end, or where the calling task is
    /// cancelled.
    func bytes(from offset: Int, ofAttempt attempt: Int) async -> Arrival? {
        while !Task.isCancelled {
            let arrival = state.withLock { state -> Arrival?? in
                if state.isOver { return .some(nil) }
                let start = state.attempt == attempt ? offset : 0
                guard state.data.count > start else { return nil }
                return Arrival(bytes: Data(state.data.dropFirst(start)), attempt: state.attempt)
            }
            if let arrival { return arrival }
            await wait(from: offset, ofAttempt: attempt)
        }
        return nil
    }

    private func wait(from offset: Int, ofAttempt attempt: Int) async {
        let waiter = state.withLock { state in
            state.waiterCount += 1
            return state.waiterCount
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isDue = state.withLock { state in
                    let start = state.attempt == attempt ? offset : 0
                    if state.isOver || Task.isCancelled || state.data.count > start { return true }
                    state.waiters[waiter] = continuation
                    return false
                }
                if isDue { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.waiters.removeValue(forKey: waiter) }?.resume()
        }
    }
}
