import CalotypeSupport
import CalotypeTransfer

/// The end of a cancelled wait for a lookup that has not started, because of other names.
struct UnstartedLookupError: Error {}

/// Name lookups, one at a time for each name, with a limit for all.
///
/// Concurrent callers for one name share a lookup. A cancelled caller returns at once; a waiting name is
/// dropped with its last caller.
final class NameLookups: Sendable {
    private typealias Waiter = @Sendable (Result<[IPAddress], any Error>) -> Void

    private struct State: Sendable {
        var line: LookupQueue<Waiter>
        var callerCount = 0
    }

    /// Shared by all loaders: threads and descriptors belong to the process.
    static let shared = NameLookups(
        SystemResolver.addresses,
        limits: LookupLimits(
            runningCount: SystemResolver.concurrencyLimit,
            waitingNameCount: 1000,
            waiterCount: 20_000
        )
    )

    /// The longest name in DNS, with a trailing dot.
    private static let maximumNameLength = 254

    private let resolve: NameResolver
    private let now: @Sendable () -> ContinuousClock.Instant
    private let state: Guarded<State>

    init(
        _ resolve: @escaping NameResolver,
        limits: LookupLimits,
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) {
        self.resolve = resolve
        self.now = now
        state = Guarded(State(line: LookupQueue(limits)))
    }

    /// Looks up a name.
    ///
    /// - Throws: The error of the resolver, ``FetchError/Code/overloaded`` if too many names are waiting;
    ///   ``UnstartedLookupError`` if the call is cancelled before the lookup has started, and otherwise
    ///   `CancellationError`.
    func addresses(of name: String) async throws -> [IPAddress] {
        guard name.utf8.count <= Self.maximumNameLength else {
            throw FetchError(.hostNotFound, detail: "the host name is longer than 253 characters")
        }
        try Task.checkCancellation()
        let number = state.withLock { state in
            state.callerCount += 1
            return state.callerCount
        }
        return try await withTaskCancellationHandler {
            try await handedOver { handOver in enter(name, number, handOver) }.get()
        } onCancel: {
            leave(name, number)
        }
    }

    private func enter(_ name: String, _ number: Int, _ waiter: @escaping Waiter) {
        let instant = now()
        switch state.withLock({ $0.line.enter(name, number, waiter, at: instant) }) {
        case .starts: start(name)
        case .waits: break
        case .refused:
            waiter(.failure(Self.overloaded(name)))
            return
        }
        // A cancellation before the entry found no waiter to remove.
        if Task.isCancelled { leave(name, number) }
    }

    private func leave(_ name: String, _ number: Int) {
        guard let (waiter, hasStarted) = state.withLock({ $0.line.leave(name, number) }) else { return }
        waiter(.failure(hasStarted ? CancellationError() : UnstartedLookupError()))
    }

    private func start(_ name: String) {
        Task.detached { [self] in
            let result: Result<[IPAddress], any Error>
            do {
                result = .success(try await resolve(name))
            } catch {
                result = .failure(error)
            }
            end(name, result)
        }
    }

    private func end(_ name: String, _ result: Result<[IPAddress], any Error>) {
        let instant = now()
        let isFound = if case .success = result { true } else { false }
        let (waiters, started) = state.withLock { $0.line.end(name, isFound: isFound, at: instant) }
        for next in started { start(next) }
        for waiter in waiters { waiter(result) }
    }

    private static func overloaded(_ name: String) -> FetchError {
        FetchError(
            .overloaded,
            isRetryable: true,
            detail: "“\(name)” was not looked up: too many host names or loads are waiting; retry later"
        )
    }
}
