/// The running and waiting lookups: decisions only, no threads.
///
/// Each name is independent. A running lookup cannot be stopped, so a name whose server does not respond
/// occupies a thread for as long as the system waits. Therefore the history of a name decides how many
/// threads must be free for it: see ``LookupLimits``.
struct LookupQueue<Waiter: Sendable>: Sendable {
    enum Kind: Hashable, Sendable {
        /// It was resolved promptly before.
        case prompt
        case unknown
        /// Its last lookup took long.
        case slow
    }

    enum Entry: Hashable, Sendable {
        /// The caller must start the lookup.
        case starts
        case waits
        case refused
    }

    private struct Lookup: Sendable {
        let kind: Kind
        var waiters: [Int: Waiter] = [:]
        /// `nil` while waiting.
        var startedAt: ContinuousClock.Instant?
    }

    /// A lookup of at least this duration marks its name as slow.
    static var slowness: Duration { .seconds(2) }
    /// The time for which a name stays marked.
    static var slowMemory: Duration { .seconds(600) }
    private static var rememberedCount: Int { 2000 }

    private let limits: LookupLimits
    private var lookups: [String: Lookup] = [:]
    private var lines: [Kind: [String]] = [:]
    private var promptNames = RecentTable<Bool>(generationCount: rememberedCount)
    /// The names that are slow, with the end of their last lookup.
    private var slowNames = RecentTable<ContinuousClock.Instant>(generationCount: rememberedCount)
    private var slowRunningCount = 0
    private(set) var runningCount = 0
    private(set) var waiterCount = 0

    var waitingNameCount: Int { lookups.count - runningCount }
    var rememberedNameCount: Int { promptNames.count + slowNames.count }

    init(_ limits: LookupLimits) {
        self.limits = limits
    }

    mutating func enter(
        _ name: String,
        _ number: Int,
        _ waiter: Waiter,
        at now: ContinuousClock.Instant
    ) -> Entry {
        guard waiterCount < limits.waiterCount,
            lookups[name].map({ $0.waiters.count < limits.waiterCountPerName }) ?? true
        else { return .refused }
        var entry = Entry.waits
        if lookups[name] == nil {
            let kind = kind(of: name, at: now)
            let mayStart = mayStart(kind)
            let hasPlace = lines[kind, default: []].count < limits.waitingNameCount
            guard mayStart || hasPlace else { return .refused }
            lookups[name] = Lookup(kind: kind)
            if mayStart {
                start(name, at: now)
                entry = .starts
            } else {
                lines[kind, default: []].append(name)
            }
        }
        lookups[name]?.waiters[number] = waiter
        waiterCount += 1
        return entry
    }

    /// Removes a waiter; a waiting name is dropped with its last waiter.
    ///
    /// - Returns: The waiter, and whether the lookup has started; `nil` if the waiter has its result already.
    mutating func leave(_ name: String, _ number: Int) -> (waiter: Waiter, hasStarted: Bool)? {
        guard let waiter = lookups[name]?.waiters.removeValue(forKey: number) else { return nil }
        let hasStarted = lookups[name]?.startedAt != nil
        waiterCount -= 1
        if let lookup = lookups[name], lookup.startedAt == nil, lookup.waiters.isEmpty {
            lookups[name] = nil
            lines[lookup.kind]?.removeAll { $0 == name }
        }
        return (waiter, hasStarted)
    }

    /// Ends a running lookup.
    ///
    /// - Returns: The waiters of the name, and the names whose lookups the caller must start.
    mutating func end(
        _ name: String,
        isFound: Bool,
        at now: ContinuousClock.Instant
    ) -> (waiters: [Waiter], started: [String]) {
        guard let lookup = lookups[name], let startedAt = lookup.startedAt else { return ([], []) }
        lookups[name] = nil
        waiterCount -= lookup.waiters.count
        runningCount -= 1
        if lookup.kind == .slow { slowRunningCount -= 1 }
        if startedAt.duration(to: now) >= Self.slowness {
            slowNames[name] = now
            promptNames[name] = nil
        } else if isFound {
            promptNames[name] = true
            slowNames[name] = nil
        }
        var started: [String] = []
        while let next = takeNext(at: now) { started.append(next) }
        return (Array(lookup.waiters.values), started)
    }

    private func kind(of name: String, at now: ContinuousClock.Instant) -> Kind {
        if let endedAt = slowNames[name], endedAt.duration(to: now) < Self.slowMemory { return .slow }
        return promptNames[name] == nil ? .unknown : .prompt
    }

    private func mayStart(_ kind: Kind) -> Bool {
        switch kind {
        case .prompt: runningCount < limits.runningCount
        case .unknown: runningCount < limits.unreservedCount
        case .slow: runningCount < limits.unreservedCount && slowRunningCount < limits.slowCount
        }
    }

    private mutating func start(_ name: String, at now: ContinuousClock.Instant) {
        lookups[name]?.startedAt = now
        runningCount += 1
        if lookups[name]?.kind == .slow { slowRunningCount += 1 }
    }

    // Slow names precede unknown ones: they have their own limit, unknown names have none.
    private mutating func takeNext(at now: ContinuousClock.Instant) -> String? {
        for kind in [Kind.prompt, .slow, .unknown] where mayStart(kind) {
            guard var line = lines[kind], !line.isEmpty else { continue }
            let name = line.removeFirst()
            lines[kind] = line
            start(name, at: now)
            return name
        }
        return nil
    }
}
