import CalotypeSupport
import CalotypeTransfer

/// A cache of resolved names.
///
/// Addresses are used for half a minute, and for ten more minutes while they are refreshed in the background,
/// so that a slow name server does not delay names resolved before. Failures are not cached.
final class NameCache: Sendable {
    private struct Entry: Sendable {
        let addresses: [IPAddress]
        let foundAt: ContinuousClock.Instant
    }

    private struct State: Sendable {
        var entries = RecentTable<Entry>(generationCount: 500)
        /// The names being refreshed in the background.
        var refreshing: Set<String> = []
    }

    private let resolve: NameResolver
    private let now: @Sendable () -> ContinuousClock.Instant
    private let state = Guarded(State())

    private static let freshness = Duration.seconds(30)
    private static let staleness = Duration.seconds(600)
    private static let refreshingCountLimit = 1000
    /// A name server may return thousands; the others are neither checked nor contacted.
    private static let maxAddressCount = 64

    init(_ resolve: @escaping NameResolver, now: @escaping @Sendable () -> ContinuousClock.Instant) {
        self.resolve = resolve
        self.now = now
    }

    /// Returns the addresses of a name.
    ///
    /// - Throws: ``FetchError/Code/hostNotFound``, ``FetchError/Code/timedOut``,
    ///   ``FetchError/Code/overloaded`` or `CancellationError`.
    func addresses(
        of name: String,
        within limit: Duration,
        _ clock: any Clock<Duration>
    ) async throws -> [IPAddress] {
        let instant = now()
        if let entry = state.withLock({ $0.entries[name] }) {
            let age = entry.foundAt.duration(to: instant)
            if age >= Self.freshness, age < Self.staleness { refresh(name) }
            if age < Self.staleness { return entry.addresses }
        }
        do {
            return try await found(name, within: limit, clock)
        } catch is UnstartedLookupError {
            throw CancellationError()
        }
    }

    private func found(
        _ name: String,
        within limit: Duration,
        _ clock: any Clock<Duration>
    ) async throws -> [IPAddress] {
        try await withThrowingTaskGroup(of: [IPAddress]?.self) { group in
            group.addImmediateTask { try await self.found(name) }
            group.addTask {
                try await clock.sleep(for: limit)
                return nil
            }
            defer { group.cancelAll() }
            if let addresses = try await group.next() ?? nil { return addresses }
            group.cancelAll()
            return try await Self.late(name) { try await group.next() ?? nil }
        }
    }

    /// Returns the result of a lookup whose time is up, if it has ended meanwhile.
    ///
    /// - Throws: ``FetchError/Code/overloaded`` if the name was not looked up because of others, or else
    ///   ``FetchError/Code/timedOut``.
    private static func late(
        _ name: String,
        _ result: () async throws -> [IPAddress]?
    ) async throws -> [IPAddress] {
        do {
            if let addresses = try await result() { return addresses }
        } catch is UnstartedLookupError where !Task.isCancelled {
            let detail = "the lookups of other names have left none for \(name) in time"
            throw FetchError(.overloaded, isRetryable: true, detail: detail)
        } catch is CancellationError {
            try Task.checkCancellation()
        }
        throw FetchError(.timedOut, isRetryable: true, detail: "resolving \(name) timed out")
    }

    private func found(_ name: String) async throws -> [IPAddress] {
        let addresses = Array(try await resolve(name).prefix(Self.maxAddressCount))
        let entry = Entry(addresses: addresses, foundAt: now())
        state.withLock { $0.entries[name] = entry }
        return addresses
    }

    private func refresh(_ name: String) {
        let isFirst = state.withLock { state in
            state.refreshing.count < Self.refreshingCountLimit && state.refreshing.insert(name).inserted
        }
        guard isFirst else { return }
        Task.detached { [self] in
            do {
                _ = try await found(name)
            } catch {
                // The older addresses are used until they expire; then the error reaches a caller.
            }
            state.withLock { _ = $0.refreshing.remove(name) }
        }
    }
}
