public import CalotypeLoading
import CalotypeSupport

/// A loader whose loads wait until a test lets them go on, and are counted.
///
/// Loads go on in the order they came. A load that is cancelled while it waits ends with `CancellationError`.
public final class GatedDataLoader: DataLoader {
    /// What has happened so far; one consistent reading.
    public struct Counts: Hashable, Sendable {
        /// The loads that came.
        public internal(set) var started = 0
        /// The loads that were let go on.
        public internal(set) var released = 0
        /// The loads that were cancelled while they waited.
        public internal(set) var cancelled = 0

        /// The loads that wait.
        public var waiting: Int { started - released - cancelled }
    }

    private typealias Waiter = CheckedContinuation<Void, any Error>

    private struct State {
        var counts = Counts()
        /// Loads that may go on as soon as they come.
        var credit = 0
        var isOpen = false
        var requests: [FetchRequest] = []
        var lastNumber = 0
        var waiters: [(number: Int, waiter: Waiter)] = []
        var watchers: [(isMet: @Sendable (Counts) -> Bool, continuation: CheckedContinuation<Void, Never>)] =
            []

        /// Takes out the watchers whose condition is met.
        mutating func metWatchers() -> [CheckedContinuation<Void, Never>] {
            let met = watchers.filter { $0.isMet(counts) }.map(\.continuation)
            watchers.removeAll { $0.isMet(counts) }
            return met
        }
    }

    private let next: any DataLoader
    private let state = Guarded(State())

    /// Creates a loader that holds back the loads of another one.
    public init(_ next: any DataLoader) {
        self.next = next
    }

    /// The counts now.
    public var counts: Counts {
        state.withLock { $0.counts }
    }

    /// The requests so far, in the order they came.
    public var requests: [FetchRequest] {
        state.withLock { $0.requests }
    }

    /// Lets the oldest `count` loads go on; where fewer wait, the next ones that come do not wait.
    public func release(_ count: Int = 1) {
        resume { state in
            let released = state.waiters.prefix(count)
            state.waiters.removeFirst(released.count)
            state.credit += count - released.count
            state.counts.released += released.count
            return released.map(\.waiter)
        }
    }

    /// Lets all loads go on, also those to come.
    public func releaseAll() {
        resume { state in
            let released = state.waiters
            state.waiters = []
            state.isOpen = true
            state.counts.released += released.count
            return released.map(\.waiter)
        }
    }

    /// Returns as soon as the counts meet a condition.
    public func until(_ isMet: @escaping @Sendable (Counts) -> Bool) async {
        await withCheckedContinuation { continuation in
            let isMetNow = state.withLock { state in
                if isMet(state.counts) { return true }
                state.watchers.append((isMet, continuation))
                return false
            }
            if isMetNow { continuation.resume() }
        }
    }

    /// Waits to be let go on, then asks the loader behind.
    ///
    /// - Throws: `CancellationError`, or what the loader behind throws.
    public func response(for request: FetchRequest) async throws -> FetchResponse {
        let number = state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { enter(number, request, $0) }
        } onCancel: {
            cancel(number)
        }
        return try await next.response(for: request)
    }

    private func enter(_ number: Int, _ request: FetchRequest, _ waiter: Waiter) {
        let (result, watchers) = state.withLock {
            state -> (Result<Void, any Error>?, [CheckedContinuation<Void, Never>]) in
            state.counts.started += 1
            state.requests.append(request)
            let result = Self.result(number, waiter, &state)
            return (result, state.metWatchers())
        }
        if let result { waiter.resume(with: result) }
        for watcher in watchers { watcher.resume() }
    }

    private static func result(
        _ number: Int,
        _ waiter: Waiter,
        _ state: inout State
    ) -> Result<Void, any Error>? {
        if Task.isCancelled {
            state.counts.cancelled += 1
            return .failure(CancellationError())
        }
        guard state.isOpen || state.credit > 0 else {
            state.waiters.append((number, waiter))
            return nil
        }
        state.credit = max(0, state.credit - 1)
        state.counts.released += 1
        return .success(())
    }

    private func cancel(_ number: Int) {
        let (waiter, watchers) = state.withLock { state -> (Waiter?, [CheckedContinuation<Void, Never>]) in
            guard let index = state.waiters.firstIndex(where: { $0.number == number }) else {
                return (nil, [])
            }
            state.counts.cancelled += 1
            return (state.waiters.remove(at: index).waiter, state.metWatchers())
        }
        waiter?.resume(throwing: CancellationError())
        for watcher in watchers { watcher.resume() }
    }

    private func resume(_ takeOut: (inout State) -> [Waiter]) {
        let (waiters, watchers) = state.withLock { state in
            (takeOut(&state), state.metWatchers())
        }
        for waiter in waiters { waiter.resume() }
        for watcher in watchers { watcher.resume() }
    }
}
