package import CalotypeCache

/// A memory cache with a naive twin, which knows the last value stored under each key.
///
/// The twin cannot predict the policy's evictions, so it specifies which results are possible and which are
/// required. A result is never another key's value, an older one, or a removed one. A value must be found if
/// no entry has been evicted since it was stored, or if it is referenced elsewhere and the cache tracks
/// evicted values weakly. If the cache has a removal handler, the twin knows its contents, and so every
/// result.
package struct MemoryCacheModel {
    package typealias Cache = MemoryCache<Int, ModelValue>

    package struct Breach: Error, CustomStringConvertible {
        package let description: String
    }

    private struct Change {
        let insertionCount: Int
        let refusalCount: Int
        let evictionCount: Int
        let hitCount: Int
        let revivalCount: Int
        let missCount: Int
        /// Whether an entry came without an insertion, which only a revived value does.
        let isReplaced: Bool
    }

    /// The most values referenced outside the cache.
    package static let maxHeldCount = 8

    private let setting: MemoryCacheSetting
    private let cache: Cache
    private let alive = AliveCount()
    private let removals: RemovalRecord
    private var twin: MemoryCacheTwin
    private var statistics: MemoryCacheStatistics
    private var lastNumber = 0
    private var stepCount = 0
    private var costLimit: Int
    private var countLimit: Int

    package init(_ setting: MemoryCacheSetting) {
        self.setting = setting
        let removals = RemovalRecord()
        self.removals = removals
        twin = MemoryCacheTwin(setting)
        costLimit = setting.costLimit
        countLimit = setting.countLimit ?? .max
        let onRemoval: Cache.RemovalHandler = { key, value, _ in removals.append(key, value) }
        cache = Cache(
            costLimit: setting.costLimit,
            countLimit: setting.countLimit,
            policy: setting.policy,
            keepsEvictedWeakly: setting.keepsEvictedWeakly,
            pressureSource: nil,
            onRemoval: setting.isObserved ? onRemoval : nil
        )
        statistics = cache.statistics
    }

    /// Applies operations until `stepCount` is reached, or there are no more choices.
    ///
    /// Stops the process if the cache's own invariants are violated.
    ///
    /// - Throws: ``Breach`` at the first result that the twin excludes.
    package mutating func run(stepCount maxStepCount: Int, _ choices: inout some Choices) throws(Breach) {
        while stepCount < maxStepCount, !choices.isExhausted {
            let operation = MemoryCacheOperation(setting, step: stepCount, &choices)
            do throws(Breach) {
                try apply(operation)
                // Checked here, where no value of the operation is alive any more.
                try checkTotals()
            } catch {
                throw Breach(description: "\(error), at step \(stepCount), \(operation) [\(setting)]")
            }
            stepCount += 1
            if stepCount.isMultiple(of: setting.checkInterval) { cache.checkInvariants() }
        }
        cache.checkInvariants()
    }

    private mutating func apply(_ operation: MemoryCacheOperation) throws(Breach) {
        switch operation {
        case .use(let key):
            guard try lookUp(key) == nil else { return }
            try insert(key, cost: setting.cost(ofKey: key), isHeld: false)
        case .lookUp(let key): _ = try lookUp(key)
        case .hold(let key): if let value = try lookUp(key) { hold(value) }
        case .release(let index): if !twin.held.isEmpty { twin.held.remove(at: index % twin.held.count) }
        case .contains(let key): try checkPresence(of: key)
        case .insert(let key, let cost, let isHeld): try insert(key, cost: cost, isHeld: isHeld)
        case .updateCost(let key, let cost): try updateCost(key, to: cost)
        case .remove(let key): try remove(key)
        case .removeHeld(let index): try removeHeld(index)
        case .removeAll, .removeSome, .trim, .costLimit, .countLimit, .relieve: try applyUpheaval(operation)
        }
    }

    private mutating func applyUpheaval(_ operation: MemoryCacheOperation) throws(Breach) {
        let costBefore = statistics.cost
        var maxCost = Int.max
        switch operation {
        case .removeAll:
            cache.removeAll()
            maxCost = 0
        case .removeSome(let divisor, let remainder):
            cache.removeAll { $0 % divisor == remainder }
        case .trim(let cost):
            cache.trim(toCost: cost)
            maxCost = cost
        case .costLimit(let limit):
            cache.costLimit = limit
            costLimit = limit
        case .countLimit(let limit):
            cache.countLimit = limit
            countLimit = limit ?? .max
        case .relieve(let pressure):
            cache.relieve(pressure)
            // A warning leaves a sixteenth of a limit.
            let floor = costLimit == .max ? 0 : costLimit / 16
            maxCost = pressure == .warning ? min(costBefore, max(costBefore / 2, floor)) : 0
        default: break
        }
        try advance()
        try require(statistics.cost <= maxCost, "\(statistics.cost) is left of \(costBefore)")
        try require(
            cache.costLimit == costLimit && (cache.countLimit ?? .max) == countLimit,
            "limits are set"
        )
        switch operation {
        case .removeAll: twin.removeAll { _ in true }
        case .removeSome(let divisor, let remainder): twin.removeAll { $0 % divisor == remainder }
        default: break
        }
    }

    // MARK: One key

    private func expectation(of key: Int) -> MemoryCacheTwin.Expectation {
        twin.expectation(of: key, evictionCount: statistics.evictionCount)
    }

    private func check(_ value: ModelValue?, for key: Int, _ expectation: MemoryCacheTwin.Expectation)
        throws(Breach)
    {
        if let value { try require(value.key == key, "requested \(key), got the value of \(value.key)") }
        let found = value.map { "value \($0.number)" } ?? "nothing"
        try require(expectation.admits(value?.number), "requested \(key), got \(found), not \(expectation)")
    }

    private mutating func lookUp(_ key: Int) throws(Breach) -> ModelValue? {
        let expectation = expectation(of: key)
        let isSurelyResident = twin.isSurelyResident(key, evictionCount: statistics.evictionCount)
        let value = cache[key]
        try check(value, for: key, expectation)
        let change = try advance()
        let lookupCount = change.hitCount + change.revivalCount + change.missCount
        try require(lookupCount == 1 && (change.missCount == 1) == (value == nil), "a lookup counts once")
        try require(!isSurelyResident || change.hitCount == 1, "a resident value is a hit")
        if change.hitCount == 1 || change.isReplaced {
            twin.confirm(key, evictionCount: statistics.evictionCount)
        }
        return value
    }

    private mutating func insert(_ key: Int, cost: Int, isHeld: Bool) throws(Breach) {
        let room = min(costLimit, Cache.maxCost) - statistics.cost
        let hasRoom = max(1, cost) <= room && statistics.count < countLimit
        lastNumber += 1
        let insertion = insertValue(key, cost: cost, isHeld: isHeld)
        let change = try advance()
        switch insertion {
        case .stored(let evictedCount):
            try require(change.insertionCount == 1 && change.refusalCount == 0, "stored is counted")
            try require(change.evictionCount == evictedCount, "\(evictedCount) were evicted for it")
            try require(cost <= costLimit, "a value over the limit is not stored")
            twin.store(number: lastNumber, forKey: key, cost: cost, evictionCount: statistics.evictionCount)
            try require(cache.contains(key), "\(key) was stored and is not there")
        case .refused:
            try require(change.insertionCount == 0 && change.refusalCount == 1, "refused is counted")
            try require(!hasRoom, "a value within the limits is stored")
            twin.refuse(number: lastNumber, forKey: key, cost: cost)
        }
    }

    /// A separate function, so that the value is not alive after it.
    private mutating func insertValue(_ key: Int, cost: Int, isHeld: Bool) -> Insertion {
        let value = ModelValue(key: key, number: lastNumber, alive: alive)
        if isHeld { hold(value) }
        return cache.insert(value, forKey: key, cost: cost)
    }

    private mutating func updateCost(_ key: Int, to cost: Int) throws(Breach) {
        guard let value = try lookUp(key) else { return }
        let isSurelyResident = twin.isSurelyResident(key, evictionCount: statistics.evictionCount)
        cache.updateCost(of: value, forKey: key, to: cost)
        let change = try advance()
        if change.insertionCount == 1 {
            twin.store(number: value.number, forKey: key, cost: cost, evictionCount: statistics.evictionCount)
        } else if change.refusalCount == 1 {
            twin.refuse(number: value.number, forKey: key, cost: cost)
        } else {
            try require(!isSurelyResident, "a resident value gets its new cost")
        }
    }

    private mutating func remove(_ key: Int) throws(Breach) {
        let expectation = expectation(of: key)
        let value = cache.removeValue(forKey: key)
        try check(value, for: key, expectation)
        try advance()
        twin.remove(key)
        try checkPresence(of: key)
    }

    private mutating func removeHeld(_ index: Int) throws(Breach) {
        guard !twin.held.isEmpty else { return }
        let value = twin.held[index % twin.held.count]
        let expectation = expectation(of: value.key)
        cache.removeValue(value, forKey: value.key)
        try advance()
        if expectation.admits(value.number) { twin.remove(value.key) }
        try checkPresence(of: value.key)
    }

    private func checkPresence(of key: Int) throws(Breach) {
        let isPresent = cache.contains(key)
        switch expectation(of: key) {
        case .nothing: try require(!isPresent, "\(key) is present but was not stored")
        case .certainly: try require(isPresent, "\(key) was stored and is not there")
        case .possibly: break
        }
    }

    private mutating func hold(_ value: ModelValue) {
        guard !twin.held.contains(where: { $0 === value }) else { return }
        if twin.held.count == Self.maxHeldCount { twin.held.removeFirst() }
        twin.held.append(value)
    }

    // MARK: The whole

    private func require(_ condition: Bool, _ promise: @autoclosure () -> String) throws(Breach) {
        if !condition { throw Breach(description: "broken: \(promise())") }
    }

    @discardableResult
    private mutating func advance() throws(Breach) -> Change {
        let (old, new) = (statistics, cache.statistics)
        statistics = new
        for removal in removals.take() {
            let isRight = twin.leave(removal.key, number: removal.number)
            try require(isRight, "value \(removal.number) of \(removal.key) left but was not resident")
        }
        let leftCount = RemovalCause.allCases.reduce(0) {
            $0 + new.removalCount(for: $1) - old.removalCount(for: $1)
        }
        let insertionCount = new.insertionCount - old.insertionCount
        let revivalCount = new.weakRevivalCount - old.weakRevivalCount
        let cameCount = new.count - old.count + leftCount - insertionCount
        try require(cameCount == 0 || cameCount == 1 && revivalCount == 1, "all changes are counted")
        return Change(
            insertionCount: insertionCount,
            refusalCount: new.refusalCount - old.refusalCount,
            evictionCount: new.evictionCount - old.evictionCount,
            hitCount: new.hitCount - old.hitCount,
            revivalCount: revivalCount,
            missCount: new.missCount - old.missCount,
            isReplaced: cameCount == 1
        )
    }

    private func checkTotals() throws(Breach) {
        let (count, cost) = (statistics.count, statistics.cost)
        try require(
            cost <= costLimit && count <= countLimit,
            "\(count) of cost \(cost) are within the limits"
        )
        let aliveCount = alive.value
        if setting.isObserved {
            try require(
                twin.residents == (count, cost),
                "the cache holds \(twin.residents), not \((count, cost))"
            )
            try require(aliveCount == twin.aliveCount, "\(aliveCount) values exist, not \(twin.aliveCount)")
        } else {
            try require(aliveCount <= count + twin.held.count, "\(aliveCount) values exist")
        }
    }
}
