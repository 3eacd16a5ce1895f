internal import CalotypeSupport
internal import FoundationEssentials

/// The bytes of an original while they arrive, whether they could be kept, and its observers.
final class Transfer: WorkProgress {
    typealias Listener = @Sendable (LoadProgress) -> Void

    /// How far somebody has looked on.
    struct Cursor: Sendable {
        /// Which attempt: after a failure another source begins from the first byte.
        fileprivate(set) var attempt = 0
        /// The bytes that have been taken of it.
        fileprivate(set) var offset = 0
        fileprivate var demandCount = 0
    }

    private struct State: Sendable {
        var data = Data()
        /// Whether there is room for all the bytes that are expected.
        var hasRoom = false
        var expectedByteCount: Int?
        var attempt = 0
        var demandCount = 0
        var isOver = false
        var clock: StageClock?
        /// Whether the bytes of the attempt have been taken.
        var isTaken = false
        var listeners: [Listener] = []
        var isStored = false
        var storeFailure: LoadError?
        var waiters: [Int: CheckedContinuation<Void, Never>] = [:]
        var waiterCount = 0

        /// Where a cursor stands after it has taken what there is; `nil` where there is nothing for it.
        func next(_ cursor: Cursor) -> Cursor? {
            let start = cursor.attempt == attempt ? cursor.offset : 0
            guard data.count > start || cursor.demandCount != demandCount else { return nil }
            return Cursor(attempt: attempt, offset: data.count, demandCount: demandCount)
        }

        mutating func append(_ chunk: Data) {
            // Most bodies come in one piece, which is not copied.
            guard !data.isEmpty else { return data = chunk }
            if data.count < expectedByteCount ?? 0, !hasRoom {
                // The caller has room for them; growing by doubling would take twice as much.
                data.reserveCapacity(expectedByteCount ?? 0)
                hasRoom = true
            }
            data.append(chunk)
        }

        func bytes(since cursor: Cursor) -> Data {
            Data(data.dropFirst(cursor.attempt == attempt ? cursor.offset : 0))
        }

        mutating func takeWaiters() -> [CheckedContinuation<Void, Never>] {
            defer { waiters = [:] }
            return Array(waiters.values)
        }
    }

    private let state = Guarded(State())

    /// Takes the step of the work from a clock.
    func follow(_ clock: StageClock) { state.withLock { $0.clock = clock } }

    package var currentStep: String? { state.withLock(\.clock)?.currentStep }

    /// Begins with the first byte, of the first source or of another, and says so: nothing has come yet.
    func begin(expectedByteCount: Int?) {
        let listeners = state.withLock { state in
            state.attempt += 1
            state.isTaken = false
            state.expectedByteCount = expectedByteCount
            (state.data, state.hasRoom) = (Data(), false)
            return state.listeners
        }
        let progress = LoadProgress(byteCount: 0, expectedByteCount: expectedByteCount)
        for listener in listeners { listener(progress) }
    }

    /// Takes the next bytes, and tells how far it has come.
    func receive(_ chunk: Data) -> LoadProgress {
        let (progress, listeners, waiters) = state.withLock { state in
            state.append(chunk)
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
            defer { (state.data, state.isTaken) = (Data(), true) }
            return state.data
        }
    }

    /// How many bytes have come so far; `nil` once they have been taken.
    var arrivedByteCount: Int? { state.withLock { $0.isTaken ? nil : $0.data.count } }

    func end() {
        let waiters = state.withLock { state in
            state.isOver = true
            state.data = Data()
            state.listeners = []
            return state.takeWaiters()
        }
        for waiter in waiters { waiter.resume() }
    }

    /// Notes why the bytes could not be kept.
    func noteStoreFailure(_ failure: LoadError?) {
        state.withLock { $0.storeFailure = failure }
    }

    /// Notes that the bytes came out of a store: nobody has to wait until they are in it.
    func noteStored() {
        state.withLock { $0.isStored = true }
    }

    /// Waits until the bytes have been written, or could not be.
    ///
    /// - Parameter limit: How long it is waited for; for ever where it is `nil`.
    /// - Returns: Why they could not be kept; `nil` where they are, or nobody wanted them to be.
    /// - Throws: `CancellationError`; the bytes are written all the same.
    func untilStored(atMost limit: Duration?) async throws -> LoadError? {
        let isLate = Guarded(false)
        let alarm = limit.map { limit in
            Alarms.shared.set(after: limit) {
                isLate.withLock { $0 = true }
                for waiter in self.state.withLock({ $0.takeWaiters() }) { waiter.resume() }
            }
        }
        defer { if let alarm { Alarms.shared.cancel(alarm) } }
        while true {
            try Task.checkCancellation()
            let (isOver, failure) = state.withLock { ($0.isOver || $0.isStored, $0.storeFailure) }
            if isOver { return failure }
            if isLate.withLock(\.self) { return LoadError(stage: .store, underlying: StoreBusyError()) }
            await wait { $0.isStored || isLate.withLock(\.self) }
        }
    }

    /// Calls a closure whenever bytes have come, until the transfer has ended.
    func listen(_ listener: @escaping Listener) {
        state.withLock { state in
            if !state.isOver { state.listeners.append(listener) }
        }
    }

    /// Wakes its observers, also where no bytes have come: somebody wants to see what there is.
    func demand() {
        let waiters = state.withLock { state in
            state.demandCount += 1
            return state.takeWaiters()
        }
        for waiter in waiters { waiter.resume() }
    }

    /// The bytes since the cursor, as soon as there are any, or none at a demand; `nil` at the end, or where
    /// the calling task is cancelled.
    func bytes(since cursor: inout Cursor) async -> Data? {
        while !Task.isCancelled {
            let (isOver, next, bytes) = state.withLock { [cursor] state in
                (state.isOver, state.next(cursor), state.bytes(since: cursor))
            }
            if isOver { return nil }
            if let next {
                cursor = next
                return bytes
            }
            await wait { [cursor] in $0.next(cursor) != nil }
        }
        return nil
    }

    /// Waits for a change, unless there is something to do already; spurious returns are possible.
    private func wait(unless isDue: @Sendable (State) -> Bool) async {
        let waiter = state.withLock { state in
            state.waiterCount += 1
            return state.waiterCount
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isDue = state.withLock { state in
                    if state.isOver || Task.isCancelled || isDue(state) { return true }
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
