internal import CalotypeLoading
internal import CalotypeSupport

/// What an original holds until it has been decoded; given back with the last copy, or before.
protocol Hold: AnyObject, Sendable {
    func end()
}

extension AdmissionGate.Permit: Hold {}

/// Bounds how many bytes are held at once, and makes those wait who want more.
///
/// The most urgent goes first, and among equals the oldest. Whoever has held bytes for the longest time may
/// always have more, and one that wants more than the whole budget is served when nobody else holds any: so
/// nobody waits for ever, as long as those who hold bytes come to an end.
final class ByteBudget: Sendable {
    /// The right to hold bytes.
    final class Lease: Hold {
        private let budget: ByteBudget
        fileprivate let number: Int
        private let priority: LivePriority

        fileprivate init(_ budget: ByteBudget, _ number: Int, _ priority: LivePriority) {
            (self.budget, self.number, self.priority) = (budget, number, priority)
        }

        deinit { end() }

        /// Holds more, as soon as there is room.
        ///
        /// - Throws: `CancellationError`.
        func grow(to byteCount: Int) async throws {
            try await budget.wait(number, byteCount, priority)
        }

        /// Gives all back; a second call does nothing.
        func end() { budget.end(number) }
    }

    private struct Waiter: Sendable {
        let byteCount: Int
        let priority: LivePriority
        let continuation: CheckedContinuation<Void, any Error>
    }

    private struct State: Sendable {
        var held: [Int: Int] = [:]
        var heldByteCount = 0
        var waiters: [Int: Waiter] = [:]
        var lastNumber = 0

        mutating func hold(_ byteCount: Int, _ number: Int) {
            heldByteCount += byteCount - (held[number] ?? 0)
            held[number] = byteCount
        }

        mutating func end(_ number: Int) {
            heldByteCount -= held.removeValue(forKey: number) ?? 0
        }
    }

    private let byteCountMax: Int
    private let state = Guarded(State())

    /// Creates a budget.
    init(byteCountMax: Int) {
        self.byteCountMax = max(1, byteCountMax)
    }

    /// How many bytes are held.
    var heldByteCount: Int { state.withLock(\.heldByteCount) }

    /// How many wait for room.
    var waitingCount: Int { state.withLock(\.waiters.count) }

    /// The right to hold bytes, as soon as there is room.
    ///
    /// - Parameters:
    ///   - byteCount: How many; ``Lease/grow(to:)`` where it turns out that there are more.
    ///   - priority: How urgent it is; may change while it waits.
    /// - Returns: The right, which ends with its last reference.
    /// - Throws: `CancellationError`.
    func lease(_ byteCount: Int, _ priority: LivePriority) async throws -> Lease {
        let lease = Lease(self, nextNumber(), priority)
        try await wait(lease.number, byteCount, priority)
        return lease
    }

    /// The right to hold bytes; `nil` where there is no room, or somebody waits for it already.
    func leaseAtOnce(_ byteCount: Int) -> Lease? {
        let number = nextNumber()
        let isHeld = state.withLock { state in
            guard state.waiters.isEmpty, fits(byteCount, number, state) else { return false }
            state.hold(byteCount, number)
            return true
        }
        return isHeld ? Lease(self, number, LivePriority()) : nil
    }

    private func nextNumber() -> Int {
        state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
    }

    /// Whether somebody may hold so many bytes now.
    private func fits(_ byteCount: Int, _ number: Int, _ state: State) -> Bool {
        let held = state.held[number] ?? 0
        if byteCount <= held || state.heldByteCount - held + byteCount <= byteCountMax { return true }
        if state.heldByteCount == held { return true }
        return held > 0 && state.held.keys.min() == number
    }

    private func wait(_ number: Int, _ byteCount: Int, _ priority: LivePriority) async throws {
        let isHeld = state.withLock { state in
            guard byteCount > state.held[number] ?? 0 else { return true }
            // Nobody who comes now goes ahead of those who wait already, but for one that goes on.
            guard state.waiters.isEmpty || state.held[number] != nil else { return false }
            guard fits(byteCount, number, state) else { return false }
            state.hold(byteCount, number)
            return true
        }
        if isHeld { return }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let isCancelled = state.withLock { state in
                    if Task.isCancelled { return true }
                    let waiter = Waiter(byteCount: byteCount, priority: priority, continuation: continuation)
                    state.waiters[number] = waiter
                    return false
                }
                if isCancelled { continuation.resume(throwing: CancellationError()) }
                // Room that was made between the look at it and the waiting has woken nobody.
                serve()
            }
        } onCancel: {
            let waiter = state.withLock { $0.waiters.removeValue(forKey: number) }
            waiter?.continuation.resume(throwing: CancellationError())
            serve()
        }
    }

    private func end(_ number: Int) {
        state.withLock { $0.end(number) }
        serve()
    }

    /// Lets those go on who wait and for whom there is room, in their order.
    private func serve() {
        let served = state.withLock { state in
            var served: [CheckedContinuation<Void, any Error>] = []
            while let (number, waiter) = next(state) {
                state.hold(waiter.byteCount, number)
                state.waiters[number] = nil
                served.append(waiter.continuation)
            }
            return served
        }
        for continuation in served { continuation.resume() }
    }

    private func next(_ state: State) -> (Int, Waiter)? {
        guard !state.waiters.isEmpty else { return nil }
        // Whoever holds bytes already goes before who holds none: it ends sooner, and gives them back.
        let growing = state.waiters.filter {
            state.held[$0.key] != nil && fits($0.value.byteCount, $0.key, state)
        }
        if let first = growing.min(by: { $0.key < $1.key }) { return (first.key, first.value) }
        let first = state.waiters.filter { state.held[$0.key] == nil }.min { left, right in
            let (leftPriority, rightPriority) = (left.value.priority.value, right.value.priority.value)
            return leftPriority == rightPriority ? left.key < right.key : leftPriority > rightPriority
        }
        guard let first, fits(first.value.byteCount, first.key, state) else { return nil }
        return (first.key, first.value)
    }
}
