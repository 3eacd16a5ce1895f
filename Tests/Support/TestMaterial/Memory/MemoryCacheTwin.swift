/// The naive half of a ``MemoryCacheModel``: the history of operations on a memory cache.
struct MemoryCacheTwin {
    enum Expectation: Equatable {
        case nothing
        /// This value or `nil`, since it may have been evicted.
        case possibly(number: Int)
        case certainly(number: Int)

        /// Returns whether this value, or `nil`, may be found.
        func admits(_ found: Int?) -> Bool {
            switch self {
            case .nothing: found == nil
            case .possibly(let number): found == nil || found == number
            case .certainly(let number): found == number
            }
        }
    }

    private struct Entry {
        /// The number of the value that may be found; 0 for none.
        var number = 0
        var cost = 0
        /// Whether the cache held the value when it was last seen, and the number of evictions by then.
        var isResident = false
        var evictionCount = 0
    }

    var held: [ModelValue] = []
    /// The contents of the cache, if known for every entry.
    private(set) var residents = (count: 0, cost: 0)

    private let keepsEvictedWeakly: Bool
    private let isObserved: Bool
    private var entries: [Entry]

    init(_ setting: MemoryCacheSetting) {
        keepsEvictedWeakly = setting.keepsEvictedWeakly
        isObserved = setting.isObserved
        entries = Array(repeating: Entry(), count: setting.keyCount)
    }

    /// Returns the possible results of a lookup after this many evictions.
    func expectation(of key: Int, evictionCount: Int) -> Expectation {
        let entry = entries[key]
        guard entry.number > 0 else { return .nothing }
        if isSurelyResident(key, evictionCount: evictionCount) { return .certainly(number: entry.number) }
        if keepsEvictedWeakly, held.contains(where: { $0.number == entry.number }) {
            return .certainly(number: entry.number)
        }
        return isObserved || !entry.isResident ? .nothing : .possibly(number: entry.number)
    }

    /// Returns whether the value of a key cannot have been evicted yet.
    func isSurelyResident(_ key: Int, evictionCount: Int) -> Bool {
        entries[key].isResident && (isObserved || entries[key].evictionCount == evictionCount)
    }

    /// The number of existing values, if the contents of the cache are known.
    var aliveCount: Int {
        residents.count + held.count { !entries[$0.key].isResident || entries[$0.key].number != $0.number }
    }

    func cost(ofKey key: Int) -> Int { entries[key].cost }

    // MARK: Events

    mutating func store(number: Int, forKey key: Int, cost: Int, evictionCount: Int) {
        setResident(key, false)
        entries[key].number = number
        entries[key].cost = max(1, cost)
        setResident(key, true)
        entries[key].evictionCount = evictionCount
    }

    /// A refused value is found while it is referenced elsewhere, like an evicted one.
    mutating func refuse(number: Int, forKey key: Int, cost: Int) {
        setResident(key, false)
        entries[key].number = keepsEvictedWeakly ? number : 0
        entries[key].cost = max(1, cost)
    }

    /// Records that the value of a key was seen in the cache.
    mutating func confirm(_ key: Int, evictionCount: Int) {
        setResident(key, true)
        entries[key].evictionCount = evictionCount
    }

    mutating func remove(_ key: Int) {
        setResident(key, false)
        entries[key].number = 0
    }

    mutating func removeAll(where isRemoved: (Int) -> Bool) {
        for key in entries.indices where isRemoved(key) { remove(key) }
    }

    /// Records the reported removal of a value; returns whether it is possible.
    mutating func leave(_ key: Int, number: Int) -> Bool {
        guard entries[key].isResident, entries[key].number == number else { return false }
        setResident(key, false)
        return true
    }

    private mutating func setResident(_ key: Int, _ isResident: Bool) {
        guard entries[key].isResident != isResident else { return }
        entries[key].isResident = isResident
        guard isObserved else { return }
        residents.count += isResident ? 1 : -1
        residents.cost += isResident ? entries[key].cost : -entries[key].cost
    }
}
