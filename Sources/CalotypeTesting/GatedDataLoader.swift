public import CalotypeLoading
import CalotypeSupport

/// A loader that counts its loads and suspends them until a test releases them.
///
/// Loads are released in the order of their arrival. A load cancelled while it waits throws
/// `CancellationError`.
public final class GatedDataLoader: DataLoader {
    /// The counters in one consistent snapshot.
    public struct Counts: Hashable, Sendable {
        /// The number of loads requested.
        public internal(set) var started = 0
        /// The number of loads released.
        public internal(set) var released = 0
        /// The number of loads cancelled while waiting.
        public internal(set) var cancelled = 0

        /// The number of loads waiting.
        public var waiting: Int { started - released - cancelled }
    }

    private typealias Waiter = CheckedContinuation<Void, any Error>

    private struct State {
        var counts = Counts()
        /// The number of loads that will be released on arrival.
        var credit = 0
        var isOpen = false
        var requests: [FetchRequest] = []
        var lastNumber = 0
        var waiters: [(number: Int, waiter: Waiter)] = []
        var watchers: [(isMet: @Sendable (Counts) -> Bool, continuation: CheckedContinuation<Void, Never>)] =
            []

        /// Removes and returns the watchers whose condition is met.
        mutating func metWatchers() -> [CheckedContinuation<Void, Never>] {
            let met = watchers.filter { $0.isMet(counts) }.map(\.continuation)
            watchers.removeAll { $0.isMet(counts) }
            return met
        }
    }

    private let next: any DataLoader
    private let state = Guarded(State())

    /// Creates a loader that suspends the loads of another one.
    public init(_ next: any DataLoader) {
        self.next = next
    }

    /// The current counters.
    public var counts: Counts {
        state.withLock { $0.counts }
    }

    /// The requests so far, in the order of arrival.
    public var requests: [FetchRequest] {
        state.withLock { $0.requests }
    }

    /// Releases the oldest `count` loads; if fewer wait, the next ones are released on arrival.
    public func release(_ count: Int = 1) {
        resume { state in
            let released = state.waiters.prefix(count)
            state.waiters.removeFirst(released.count)
            state.credit += count - released.count
            state.counts.released += released.count
            return released.map(\.waiter)
        }
    }

    /// Releases all loads, including later ones.
    public func releaseAll() {
        resume { state in
            let released = state.waiters
            state.waiters = []
            state.isOpen = true
            state.counts.released += released.count
            return released.map(\.waiter)
        }
    }

    /// Returns as soon as the counters meet a condition.
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

    /// Waits for its release, then calls the inner loader.
    ///
    /// - Throws: `CancellationError`, or the error of the inner loader.
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
