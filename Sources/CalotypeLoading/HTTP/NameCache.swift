import CalotypeSupport
import CalotypeTransfer

/// The addresses of names: looked up once for all who ask at the same time, and kept for a while.
///
/// An answer is used for half a minute, and for ten more while a new one is looked for behind it, so that a
/// slow name server holds nobody up whose name was found before. Names of one site (its last two labels) are
/// looked up four at a time: a site whose names nobody answers for leaves the other threads to others.
final class NameCache: Sendable {
    typealias Resolve = HTTPDataLoader.Surroundings.Resolve
    fileprivate typealias Addresses = Result<[IPAddress], any Error>
    fileprivate typealias Waiter = @Sendable (Addresses) -> Void

    fileprivate struct Entry: Sendable {
        let addresses: [IPAddress]
        let foundAt: ContinuousClock.Instant
    }

    fileprivate struct State: Sendable {
        var entries: [String: Entry] = [:]
        /// Those who wait for each name that is looked up or is to be.
        var waiters: [String: [Int: Waiter]] = [:]
        var waiterCount = 0
        var runningCounts: [Substring: Int] = [:]
        /// The names of each site whose turn has not come.
        var lines: [Substring: [String]] = [:]
    }

    private let resolve: Resolve
    private let now: @Sendable () -> ContinuousClock.Instant
    private let state = Guarded(State())

    private static let freshness = Duration.seconds(30)
    private static let staleness = Duration.seconds(600)
    private static let entryCountMax = 1000
    fileprivate static let runningCountPerSiteMax = 4

    init(_ resolve: @escaping Resolve, now: @escaping @Sendable () -> ContinuousClock.Instant) {
        self.resolve = resolve
        self.now = now
    }

    /// The addresses of a name.
    ///
    /// - Throws: ``FetchError/Code/hostNotFound``, ``FetchError/Code/timedOut`` or `CancellationError`.
    func addresses(
        of name: String,
        within limit: Duration,
        _ clock: any Clock<Duration>
    ) async throws -> [IPAddress] {
        let age = state.withLock { $0.entries[name] }.map { ($0.addresses, $0.foundAt.duration(to: now())) }
        if let (addresses, age) = age, age < Self.staleness {
            if age >= Self.freshness { lookUp(name) }
            return addresses
        }
        return try await withThrowingTaskGroup(of: [IPAddress].self) { group in
            group.addTask { try await self.lookedUp(name) }
            group.addTask {
                try await clock.sleep(for: limit)
                throw FetchError(.timedOut, isRetryable: true, detail: "no address of \(name) in time")
            }
            defer { group.cancelAll() }
            return try await group.next() ?? []
        }
    }

    /// Waits for a look-up that is under way, or for one of its own.
    private func lookedUp(_ name: String) async throws -> [IPAddress] {
        let number = state.withLock { state in
            state.waiterCount += 1
            return state.waiterCount
        }
        return try await withTaskCancellationHandler {
            try await handedOver { handOver in
                lookUp(name, for: (number, handOver))
            }.get()
        } onCancel: {
            state.withLock { $0.waiters[name]?.removeValue(forKey: number) }?(.failure(CancellationError()))
        }
    }

    /// Looks a name up unless it is being looked up.
    private func lookUp(_ name: String, for waiter: (number: Int, handOver: Waiter)? = nil) {
        let site = Self.site(of: name)
        let instant = now()
        let (known, isStarting) = state.withLock { state -> ([IPAddress]?, Bool) in
            // The look-up of another may have ended since the first look.
            if let entry = state.entries[name], entry.foundAt.duration(to: instant) < Self.freshness {
                return (entry.addresses, false)
            }
            return (nil, state.begin(name, site, waiter))
        }
        if let known { waiter?.handOver(.success(known)) }
        if isStarting { start(name, site) }
        // A cancellation between the look at it and the entry has found nobody to tell.
        if let waiter, Task.isCancelled {
            let handOver = state.withLock { $0.waiters[name]?.removeValue(forKey: waiter.number) }
            handOver?(.failure(CancellationError()))
        }
    }

    private func start(_ name: String, _ site: Substring) {
        Task.detached { [self] in
            let result: Addresses
            do {
                result = .success(try await resolve(name))
            } catch {
                result = .failure(error)
            }
            end(name, site, result)
        }
    }

    private func end(_ name: String, _ site: Substring, _ result: Addresses) {
        let instant = now()
        let (waiters, next) = state.withLock { state -> ([Waiter], String?) in
            if case .success(let addresses) = result {
                if state.entries.count >= Self.entryCountMax { state.removeOldest() }
                state.entries[name] = Entry(addresses: addresses, foundAt: instant)
            }
            let waiters = state.waiters.removeValue(forKey: name).map { Array($0.values) } ?? []
            return (waiters, state.endRunning(site))
        }
        if let next { start(next, site) }
        for waiter in waiters { waiter(result) }
    }

    private static func site(of name: String) -> Substring {
        var labels = name[...]
        if labels.last == "." { labels.removeLast() }
        guard let last = labels.lastIndex(of: "."), let second = labels[..<last].lastIndex(of: ".") else {
            return labels
        }
        return labels[labels.index(after: second)...]
    }
}

extension NameCache.State {
    /// Notes who waits; says whether the look-up of the name is to start.
    fileprivate mutating func begin(
        _ name: String,
        _ site: Substring,
        _ waiter: (number: Int, handOver: NameCache.Waiter)?
    ) -> Bool {
        let isUnderWay = waiters[name] != nil
        waiters[name, default: [:]].merge(waiter.map { [$0.number: $0.handOver] } ?? [:]) { $1 }
        if isUnderWay { return false }
        guard runningCounts[site, default: 0] < NameCache.runningCountPerSiteMax else {
            lines[site, default: []].append(name)
            return false
        }
        runningCounts[site, default: 0] += 1
        return true
    }

    /// Gives a look-up's place to the next of its site, which it returns.
    fileprivate mutating func endRunning(_ site: Substring) -> String? {
        if var line = lines[site] {
            let next = line.removeFirst()
            lines[site] = line.isEmpty ? nil : line
            return next
        }
        let count = (runningCounts[site] ?? 1) - 1
        runningCounts[site] = count == 0 ? nil : count
        return nil
    }

    fileprivate mutating func removeOldest() {
        guard let oldest = entries.min(by: { $0.value.foundAt < $1.value.foundAt })?.key else { return }
        entries[oldest] = nil
    }
}
