internal import CalotypeSupport
internal import FoundationEssentials

/// The bytes of an original while they arrive, the result of storing them, and the observers.
final class Transfer: WorkProgress {
    typealias Listener = @Sendable (LoadProgress) -> Void

    /// The position of an observer in the bytes.
    struct Cursor: Sendable {
        /// The attempt: after a failure another source begins from the first byte.
        fileprivate(set) var attempt = 0
        /// The number of bytes taken from the attempt.
        fileprivate(set) var offset = 0
        fileprivate var demandCount = 0
    }

    private struct State: Sendable {
        var data = Data()
        /// True if memory is reserved for expected bytes.
        var hasRoom = false
        var expectedByteCount: Int?
        var attempt = 0
        var demandCount = 0
        var isOver = false
        var clock: StageClock?
        var loadNumber: Int?
        /// True if all bytes of the attempt were taken.
        var isTaken = false
        var listeners: [Listener] = []
        var storeFailure: LoadError?
        var waiters = WaitList<Void>()

        /// Returns the cursor after the available bytes; `nil` if there is nothing new for it.
        func next(_ cursor: Cursor) -> Cursor? {
            let start = cursor.attempt == attempt ? cursor.offset : 0
            guard data.count > start || cursor.demandCount != demandCount else { return nil }
            return Cursor(attempt: attempt, offset: data.count, demandCount: demandCount)
        }

        mutating func append(_ chunk: Data) {
            // Most bodies arrive in one chunk, which is not copied.
            guard !data.isEmpty else { return data = chunk }
            if data.count < expectedByteCount ?? 0, !hasRoom {
                // Growing by doubling would take twice as much. The announced bytes may never arrive.
                data.reserveCapacity(min(expectedByteCount ?? 0, Transfer.maxReservedByteCount))
                hasRoom = true
            }
            data.append(chunk)
        }

        func bytes(since cursor: Cursor) -> Data {
            Data(data.dropFirst(cursor.attempt == attempt ? cursor.offset : 0))
        }
    }

    /// The maximum of announced bytes to reserve memory for; a failed reservation would end the process.
    private static let maxReservedByteCount = 64 << 20

    private let state = Guarded(State())

    /// Reports the step of the work from a clock.
    func follow(_ clock: StageClock) { state.withLock { $0.clock = clock } }

    package var currentStep: String? { state.withLock(\.clock)?.currentStep }

    /// Sets the number of the load.
    func noteLoad(_ number: Int) { state.withLock { $0.loadNumber = number } }

    package var loadNumber: Int? { state.withLock(\.loadNumber) }

    /// Starts a new attempt, from the first source or another, and reports a progress of 0 bytes.
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

    /// Appends the next bytes and returns the progress.
    func receive(_ chunk: Data) -> LoadProgress {
        let (progress, listeners, waiters) = state.withLock { state in
            state.append(chunk)
            let progress = LoadProgress(
                byteCount: state.data.count,
                expectedByteCount: state.expectedByteCount
            )
            return (progress, state.listeners, state.waiters.take())
        }
        for waiter in waiters { waiter.resume() }
        for listener in listeners { listener(progress) }
        return progress
    }

    /// Returns all bytes that have arrived, and removes them here.
    ///
    /// - Parameter isWhole: False for a body that broke off, after which another source may begin.
    /// - Returns: The bytes.
    func take(isWhole: Bool = true) -> Data {
        state.withLock { state in
            defer { (state.data, state.isTaken) = (Data(), isWhole) }
            return state.data
        }
    }

    /// The number of bytes that have arrived; `nil` once the whole body was taken.
    var arrivedByteCount: Int? { state.withLock { $0.isTaken ? nil : $0.data.count } }

    func end() {
        let waiters = state.withLock { state in
            state.isOver = true
            state.data = Data()
            state.listeners = []
            return state.waiters.take()
        }
        for waiter in waiters { waiter.resume() }
    }

    /// Sets the error of storing the bytes.
    func noteStoreFailure(_ failure: LoadError?) {
        state.withLock { $0.storeFailure = failure }
    }

    /// Waits until the bytes are written, or writing has failed.
    ///
    /// - Parameter limit: The time limit of the wait; `nil` for none.
    /// - Returns: The error of storing; `nil` if the bytes are stored, or were not meant to be.
    /// - Throws: `CancellationError`; the bytes are written all the same.
    func untilStored(atMost limit: Duration?) async throws -> LoadError? {
        let isLate = Guarded(false)
        let alarm = limit.map { limit in
            Alarms.shared.set(after: limit) {
                isLate.withLock { $0 = true }
                for waiter in self.state.withLock({ $0.waiters.take() }) { waiter.resume() }
            }
        }
        defer { if let alarm { Alarms.shared.cancel(alarm) } }
        while true {
            try Task.checkCancellation()
            let (isOver, failure) = state.withLock { ($0.isOver, $0.storeFailure) }
            if isOver { return failure }
            if isLate.withLock(\.self) { return LoadError(stage: .store, underlying: StoreBusyError()) }
            await wait { _ in isLate.withLock(\.self) }
        }
    }

    /// Registers a closure that is called whenever bytes have arrived, until the transfer ends.
    func listen(_ listener: @escaping Listener) {
        state.withLock { state in
            if !state.isOver { state.listeners.append(listener) }
        }
    }

    /// Wakes the observers even if no bytes have arrived, because a consumer wants a preview.
    func demand() {
        let waiters = state.withLock { state in
            state.demandCount += 1
            return state.waiters.take()
        }
        for waiter in waiters { waiter.resume() }
    }

    /// Returns the bytes since the cursor as soon as there are any, or none at a demand; `nil` at the end, or
    /// if the calling task is cancelled.
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

    /// Waits for a change, unless the condition holds already; spurious returns are possible.
    private func wait(unless isDue: (State) -> Bool) async {
        let number = state.withLock { $0.isOver || isDue($0) ? nil : $0.waiters.enter() }
        if let number { await state.wait(number, in: \.waiters) }
    }
}
