package import CalotypeCache

/// What a memory cache is made with and used like, for a ``MemoryCacheModel``.
package struct MemoryCacheSetting: Sendable, CustomStringConvertible {
    /// How much entries cost.
    package enum Costs: Sendable {
        /// All the same.
        case equal(Int)
        /// As many of each power of two up to 2¹³.
        case magnitudes
        /// Next to the greatest integer, so that no two can be added.
        case enormous
    }

    package let policy: EvictionPolicyKind
    package let costs: Costs
    /// How many entries of the mean cost there is room for, unless the limits are changed.
    package let capacity: Int
    package let costLimit: Int
    package let countLimit: Int?
    /// Keys are the numbers below.
    package let keyCount: Int
    package let keepsEvictedWeakly: Bool
    /// Whether low keys are more common than high ones.
    package let isSkewed: Bool
    /// One key in so many is chosen at random; the others come in turn.
    package let sweep: Int
    /// Whether somebody hears of each removal, so that the twin knows what is held at every moment.
    package let isObserved: Bool
    /// One operation in so many removes much at once or changes a limit.
    package let calm: Int
    /// One operation in so many of the others is not a lookup with an insertion where nothing is found.
    package let steadiness: Int

    /// Chooses what is left open by a policy.
    package init(policy: EvictionPolicyKind, _ choices: inout some Choices) {
        self.policy = policy
        let unit = choices.choice(from: [1, 1, 7, 1_000, 0, 0, 0, .max])
        // Most have room for 128 entries, from where on DUO puts off what hits tell it.
        capacity = choices.choice(from: [1, 5, 20, 60, 140, 140, 200, 250, 300, 1_000, 3_000])
        switch unit {
        case 0: (costs, costLimit) = (.magnitudes, capacity * 500)
        case .max: (costs, costLimit) = (.enormous, .max)
        default: (costs, costLimit) = (.equal(unit), capacity * unit)
        }
        countLimit = choices.choice(from: [nil, nil, nil, max(1, capacity * 2 / 3)])
        // With few more keys than there is room for, what comes back was about to be forgotten.
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

    /// How many operations fill the cache, and then try it.
    package var stepCount: Int { calm >= 10_000 ? 10_000 + 8 * capacity : 4_000 }

    /// How many operations are between two looks at the cache's own invariants, which take longer the more it
    /// holds.
    package var checkInterval: Int { capacity <= 20 ? 1 : capacity / 2 }

    /// What a key's values cost, unless one operation says otherwise.
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
