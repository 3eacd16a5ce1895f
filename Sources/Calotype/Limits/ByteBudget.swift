internal import CalotypeLoading
internal import CalotypeSupport

/// A permit or a lease; released with its last reference, or before.
protocol Hold: AnyObject, Sendable {
    func end()
}

extension AdmissionGate.Permit: Hold {}

/// A hold shared by several callers, released by the last one.
final class SharedHold: Sendable {
    private let base: any Hold
    private let holderCount = Guarded(1)

    init(_ base: any Hold) {
        self.base = base
    }

    /// True if other callers share it.
    var isShared: Bool { holderCount.withLock { $0 > 1 } }

    /// Sets the number of callers that share it.
    func noteHolders(_ count: Int) { holderCount.withLock { $0 = count } }

    /// Releases it for one of its holders.
    func end() {
        let isLast = holderCount.withLock { count in
            count -= 1
            return count <= 0
        }
        if isLast { base.end() }
    }
}

/// A limit for the bytes held at the same time; claims above it wait.
///
/// A growing holder precedes claims that hold nothing, because it ends sooner. Otherwise the highest priority
/// is first, and among equals the oldest. If no holder can grow, the oldest waiting one of an origin exceeds
/// the budget, so that loads cannot deadlock (``ByteLedger``).
final class ByteBudget: Sendable {
    /// The right to hold bytes.
    final class Lease: Hold {
        private let budget: ByteBudget
        fileprivate let number: Int
        fileprivate let origin: String
        private let priority: LivePriority

        fileprivate init(_ budget: ByteBudget, number: Int, origin: String, priority: LivePriority) {
            self.budget = budget
            self.number = number
            self.origin = origin
            self.priority = priority
        }

        deinit { end() }

        var byteCount: Int { budget.state.withLock { $0.ledger.byteCount(of: number) } }

        /// Grows the lease as soon as the budget allows.
        ///
        /// - Throws: `CancellationError`.
        func grow(to byteCount: Int) async throws {
            let claim = ByteLedger.Claim(byteCount: byteCount, origin: origin)
            try await budget.wait(for: claim, of: number, priority)
        }

        /// Notes that the holder waits for a permit that waiting claims may have; see ``ByteLedger``.
        ///
        /// - Returns: False if it must not wait, but end the lease.
        func park() -> Bool {
            let isParked = budget.state.withLock { $0.ledger.park(number, of: origin) }
            budget.serve()
            return isParked
        }

        /// Returns all bytes; a second call has no effect.
        func end() { budget.end(number, of: origin) }
    }

    private struct Waiter: Sendable {
        let claim: ByteLedger.Claim
        let priority: LivePriority
        let continuation: CheckedContinuation<Void, any Error>
    }

    private struct State: Sendable {
        var ledger: ByteLedger
        var waiters: [Int: Waiter] = [:]
        var lastNumber = 0
    }

    private let state: Guarded<State>

    private let maxWaitingCount: Int

    /// Creates a budget; claims beyond the number that may wait fail with `overloaded`.
    init(_ terms: ByteLedger.Terms, maxWaitingCount: Int = .max) {
        self.maxWaitingCount = maxWaitingCount
        var terms = terms
        terms.maxByteCount = max(1, terms.maxByteCount)
        state = Guarded(State(ledger: ByteLedger(terms)))
    }

    var heldByteCount: Int { state.withLock(\.ledger.heldByteCount) }

    /// True if a claim of this size counts as small.
    func isSmall(_ byteCount: Int) -> Bool {
        state.withLock { $0.ledger.isSmall(ByteLedger.Claim(byteCount: byteCount)) }
    }

    var waitingCount: Int { state.withLock(\.waiters.count) }

    /// Leases bytes as soon as the budget allows.
    ///
    /// - Parameters:
    ///   - byteCount: The number of bytes; call ``Lease/grow(to:)`` if there turn out to be more.
    ///   - origin: The origin of the bytes, if origins have shares.
    ///   - priority: The priority, which may change during the wait.
    /// - Returns: The lease, which ends with its last reference.
    /// - Throws: `CancellationError`.
    func lease(_ byteCount: Int, of origin: String = "", _ priority: LivePriority) async throws -> Lease {
        let lease = Lease(self, number: nextNumber(), origin: origin, priority: priority)
        try await lease.grow(to: byteCount)
        return lease
    }

    /// Leases bytes at once; `nil` if the budget does not allow it, or other claims wait already.
    func leaseAtOnce(_ byteCount: Int, of origin: String = "") -> Lease? {
        let number = nextNumber()
        let claim = ByteLedger.Claim(byteCount: byteCount, origin: origin)
        let isHeld = state.withLock { state in
            guard state.waiters.isEmpty else { return false }
            if !state.ledger.fits(claim, number) {
                guard state.ledger.mayExceed(claim, number) else { return false }
                state.ledger.letExceed(claim, number)
            }
            state.ledger.hold(claim, number)
            return true
        }
        return isHeld ? Lease(self, number: number, origin: claim.origin, priority: LivePriority()) : nil
    }

    private func nextNumber() -> Int {
        state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
    }

    private func wait(
        for claim: ByteLedger.Claim,
        of number: Int,
        _ priority: LivePriority
    ) async throws {
        let isHeld = state.withLock { state in
            // A new claim never precedes waiting ones, unless its holder is growing.
            guard state.waiters.isEmpty || state.ledger.isHolder(number) else { return false }
            guard state.ledger.fits(claim, number) else { return false }
            state.ledger.hold(claim, number)
            return true
        }
        if isHeld { return }
        // Another claim may be the first one, and fit, once the priority has changed.
        let observation = priority.observe { [weak self] _ in self?.serve() }
        defer { priority.stopObserving(observation) }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let refusal = state.withLock { state -> (any Error)? in
                    if Task.isCancelled { return CancellationError() }
                    guard state.waiters.count < maxWaitingCount else { return AdmissionGate.overloaded }
                    let waiter = Waiter(claim: claim, priority: priority, continuation: continuation)
                    state.waiters[number] = waiter
                    return nil
                }
                if let refusal { continuation.resume(throwing: refusal) }
                // Budget released between the check and the registration has resumed no waiter.
                serve()
            }
        } onCancel: {
            let waiter = state.withLock { $0.waiters.removeValue(forKey: number) }
            waiter?.continuation.resume(throwing: CancellationError())
            serve()
        }
    }

    private func end(_ number: Int, of origin: String) {
        state.withLock { $0.ledger.end(number, of: origin) }
        serve()
    }

    /// Resumes waiting claims that fit, in their order.
    private func serve() {
        let served = state.withLock { state in
            var served: [CheckedContinuation<Void, any Error>] = []
            while let number = Self.next(&state), let waiter = state.waiters.removeValue(forKey: number) {
                state.ledger.hold(waiter.claim, number)
                served.append(waiter.continuation)
            }
            return served
        }
        for continuation in served { continuation.resume() }
    }

    /// Returns the waiter to resume next; marks a holder that is to exceed the budget.
    ///
    /// One walk over the waiters, which may be many, and none of them is sorted.
    private static func next(_ state: inout State) -> Int? {
        guard !state.waiters.isEmpty else { return nil }
        var (growing, beginning): ([Int], [Candidate]) = ([], [])
        for (number, waiter) in state.waiters {
            if state.ledger.isHolder(number) {
                growing.append(number)
            } else {
                beginning.append(Candidate(number: number, waiter))
            }
        }
        let fitting = growing.filter { number in
            state.waiters[number].map { state.ledger.fits($0.claim, number) } ?? false
        }
        if let number = fitting.min() { return number }
        if let number = nextExceeding(growing, &state) { return number }
        if let number = nextBeginning(beginning, state.ledger) { return number }
        return nextExceeding(beginning.map(\.number), &state)
    }

    private static func nextExceeding(_ numbers: [Int], _ state: inout State) -> Int? {
        let able = numbers.filter { number in
            state.waiters[number].map { state.ledger.mayExceed($0.claim, number) } ?? false
        }
        guard let number = able.min(), let waiter = state.waiters[number] else { return nil }
        state.ledger.letExceed(waiter.claim, number)
        return number
    }

    /// A waiter without bytes, with its priority at one instant.
    private struct Candidate {
        let number: Int
        let claim: ByteLedger.Claim
        let priority: LoadPriority

        init(number: Int, _ waiter: Waiter) {
            (self.number, claim, priority) = (number, waiter.claim, waiter.priority.value)
        }

        func isAhead(of other: Candidate) -> Bool {
            priority == other.priority ? number < other.number : priority > other.priority
        }
    }

    /// Returns the first claim without bytes whose origin has budget left; if it is large and does not fit,
    /// the first small one.
    private static func nextBeginning(_ candidates: [Candidate], _ ledger: ByteLedger) -> Int? {
        let beginning = unblocked(candidates, ledger)
        guard let first = first(of: beginning) else { return nil }
        if ledger.fits(first.claim, first.number) { return first.number }
        guard !ledger.isSmall(first.claim) else { return nil }
        let small = Self.first(of: beginning.filter { ledger.isSmall($0.claim) })
        guard let small, ledger.fits(small.claim, small.number, aheadOfLarge: true) else { return nil }
        return small.number
    }

    /// The waiters without bytes whose origin has budget for its first waiter.
    ///
    /// Behind a first waiter without budget the others of its origin wait, which would delay it forever.
    private static func unblocked(_ candidates: [Candidate], _ ledger: ByteLedger) -> [Candidate] {
        var firsts: [String: Candidate] = [:]
        for candidate in candidates {
            let origin = candidate.claim.origin
            if firsts[origin].map({ candidate.isAhead(of: $0) }) ?? true { firsts[origin] = candidate }
        }
        let open = Set(firsts.filter { ledger.isWithinShare($0.value.claim, $0.value.number) }.keys)
        return candidates.filter { candidate in
            open.contains(candidate.claim.origin) && ledger.isWithinShare(candidate.claim, candidate.number)
        }
    }

    private static func first(of candidates: [Candidate]) -> Candidate? {
        candidates.min { $0.isAhead(of: $1) }
    }
}
