package import CalotypeCache
import CalotypeTesting

/// The configuration of a memory cache and its use, for a ``MemoryCacheModel``.
package struct MemoryCacheSetting: Sendable, CustomStringConvertible {
    package enum Costs: Sendable {
        case equal(Int)
        /// Each power of two up to 2¹³ is equally common.
        case magnitudes
        /// Close to the greatest integer, so that no two can be added.
        case enormous
    }

    package let policy: EvictionPolicyKind
    package let costs: Costs
    /// The number of entries of mean cost within the limits, unless these are changed.
    package let capacity: Int
    package let costLimit: Int
    package let countLimit: Int?
    /// The number of keys: 0..<keyCount.
    package let keyCount: Int
    package let keepsEvictedWeakly: Bool
    /// Whether low keys are more common than high ones.
    package let isSkewed: Bool
    /// One key in this many is chosen at random; the others are used in turn.
    package let sweep: Int
    /// Whether there is a removal handler, so that the twin always knows the contents.
    package let isObserved: Bool
    /// One operation in this many removes many entries or changes a limit.
    package let calm: Int
    /// One of the other operations in this many is not a lookup with insertion after a miss.
    package let steadiness: Int

    /// Chooses everything except the policy.
    package init(policy: EvictionPolicyKind, _ choices: inout some Choices) {
        self.policy = policy
        let unit = choices.choice(from: [1, 1, 7, 1_000, 0, 0, 0, .max])
        // Most settings have more than 128 entries, from which on DUO defers the effects of hits.
        capacity = choices.choice(from: [1, 5, 20, 60, 140, 140, 200, 250, 300, 1_000, 3_000])
        switch unit {
        case 0: (costs, costLimit) = (.magnitudes, capacity * 500)
        case .max: (costs, costLimit) = (.enormous, .max)
        default: (costs, costLimit) = (.equal(unit), capacity * unit)
        }
        countLimit = choices.choice(from: [nil, nil, nil, max(1, capacity * 2 / 3)])
        // With few more keys than capacity, recurring keys are close to being forgotten.
        keyCount = 1 + capacity * choices.choice(from: [2, 5, 5, 6, 6, 8, 8, 12, 20, 100]) / 4
        isSkewed = choices.isOnce(in: 3)
        sweep = choices.choice(from: [1, 1, 1, 3])
        keepsEvictedWeakly = choices.isOnce(in: 2)
        isObserved = choices.isOnce(in: 2)
        calm = max(keyCount / 10, choices.choice(from: [10, 300, 10_000, 1_000_000]))
        steadiness = choices.choice(from: [1, 3, 100])
    }

    package var description: String {
        """
        \(policy), costs \(costs), limits \(costLimit) and \(countLimit.map(String.init) ?? "none"), \
        \(keyCount) keys, skewed \(isSkewed), sweep \(sweep), weak level \(keepsEvictedWeakly), \
        observed \(isObserved), calm \(calm), steadiness \(steadiness)
        """
    }

    /// The number of operations that fill the cache and then test it.
    package var stepCount: Int { calm >= 10_000 ? 10_000 + 8 * capacity : 4_000 }

    /// The number of operations between two checks of the cache's own invariants, which take linear time.
    package var checkInterval: Int { capacity <= 20 ? 1 : capacity / 2 }

    /// Returns the cost of a key's values, unless an operation specifies another.
    func cost(ofKey key: Int) -> Int {
        switch costs {
        case .equal(let cost): return cost
        case .magnitudes:
            var generator = SeededGenerator(seed: UInt64(key))
            let magnitude = 1 << generator.choice(of: 14)
            return magnitude + generator.choice(of: magnitude)
        case .enormous: return .max - key % 5 * (.max / 5)
        }
    }
}
