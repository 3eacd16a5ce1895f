package import CalotypeCache

/// A call of a memory cache, or two related ones.
package enum MemoryCacheOperation: Sendable {
    /// Looks up a key, and inserts a value after a miss.
    case use(key: Int)
    case lookUp(key: Int)
    /// Looks up a key and retains the value found.
    case hold(key: Int)
    case release(Int)
    case contains(key: Int)
    case insert(key: Int, cost: Int, isHeld: Bool)
    /// Looks up a key and changes the cost of the value found.
    case updateCost(key: Int, cost: Int)
    case remove(key: Int)
    /// Removes a retained value, if its key still has it.
    case removeHeld(Int)
    case removeAll
    case removeSome(divisor: Int, remainder: Int)
    case trim(toCost: Int)
    case costLimit(Int)
    case countLimit(Int?)
    case relieve(MemoryPressure)

    package init(_ setting: MemoryCacheSetting, step: Int, _ choices: inout some Choices) {
        guard !choices.isOnce(in: setting.calm) else {
            self = Self.upheaval(setting, &choices)
            return
        }
        let key = choices.isOnce(in: setting.sweep) ? Self.key(setting, &choices) : step % setting.keyCount
        guard choices.isOnce(in: setting.steadiness) else {
            self = .use(key: key)
            return
        }
        let usual = setting.cost(ofKey: key)
        switch choices.choice(of: 64) {
        case 0: self = .contains(key: key)
        case 1, 2: self = .hold(key: key)
        case 3: self = .release(choices.choice(of: MemoryCacheModel.maxHeldCount))
        case 4...6: self = .insert(key: key, cost: usual, isHeld: false)
        case 7: self = .insert(key: key, cost: usual, isHeld: true)
        case 8: self = .insert(key: key, cost: Self.cost(setting, &choices), isHeld: false)
        case 9: self = .updateCost(key: key, cost: Self.cost(setting, &choices))
        case 10, 11: self = .remove(key: key)
        case 12: self = .removeHeld(choices.choice(of: MemoryCacheModel.maxHeldCount))
        case 13...20: self = .lookUp(key: key)
        default: self = .use(key: key)
        }
    }

    private static func key(_ setting: MemoryCacheSetting, _ choices: inout some Choices) -> Int {
        let key = choices.choice(of: setting.keyCount)
        return setting.isSkewed ? key * choices.choice(of: setting.keyCount) / setting.keyCount : key
    }

    private static func upheaval(_ setting: MemoryCacheSetting, _ choices: inout some Choices) -> Self {
        // In steps of a sixteenth, from zero to twice the limit.
        let part = choices.choice(of: 33)
        let cost = setting.costLimit / 16 &* part
        switch choices.choice(of: 12) {
        case 0: return .removeAll
        case 1:
            let divisor = 1 + choices.choice(of: 7)
            return .removeSome(divisor: divisor, remainder: part % divisor)
        case 2, 3: return .trim(toCost: part > 16 ? setting.costLimit : cost)
        case 4: return .costLimit(part > 16 && setting.costLimit == .max ? .max : cost)
        case 5, 6: return .costLimit(setting.costLimit)
        case 7: return .countLimit(setting.capacity * part / 16)
        case 8, 9: return .countLimit(setting.countLimit)
        case 10: return .relieve(.warning)
        default: return .relieve(.critical)
        }
    }

    /// Returns an unusual cost, sometimes beyond the limit.
    private static func cost(_ setting: MemoryCacheSetting, _ choices: inout some Choices) -> Int {
        setting.cost(ofKey: choices.choice(of: setting.keyCount)) / (1 + choices.choice(of: 4))
    }
}
