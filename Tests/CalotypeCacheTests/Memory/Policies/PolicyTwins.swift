import CalotypeTesting
import Testing

@testable import CalotypeCache

/// Drives a policy and a naive twin with the same random operations and compares all visible state.
struct PolicyTwins<Policy: EvictionPolicy, Naive: EvictionPolicy> {
    private var policy: Policy
    private var naive: Naive
    private var generator: SeededGenerator
    private var known: Set<Slot> = []
    private let slotCount: Int
    private let maxCost: Int

    init(_: Policy.Type, _: Naive.Type, limits: CacheLimits, slotCount: Int, maxCost: Int, seed: UInt64) {
        policy = Policy(limits: limits)
        naive = Naive(limits: limits)
        generator = SeededGenerator(seed: seed)
        self.slotCount = slotCount
        self.maxCost = maxCost
    }

    /// Runs `stepCount` operations; the comment of a failure names the step.
    mutating func run(stepCount: Int) {
        for step in 0..<stepCount {
            let description = apply()
            guard step.isMultiple(of: 10) else { continue }
            policy.checkInvariants()
            guard policy.load == naive.load else {
                Issue.record("load after step \(step): \(description)")
                return
            }
            for slot in 0..<slotCount {
                let isSame =
                    policy.holds(slot) == naive.holds(slot) && policy.knows(slot) == naive.knows(slot)
                    && policy.knows(slot) == known.contains(slot)
                if !isSame { Issue.record("slot \(slot) after step \(step): \(description)") }
                guard isSame else { return }
            }
        }
    }

    /// Applies one random operation to both.
    private mutating func apply() -> String {
        // The square makes low slots more common than high ones.
        let random = Double.random(in: 0..<1, using: &generator)
        let slot = Int(random * random * Double(slotCount))
        switch Int.random(in: 0..<1000, using: &generator) {
        case 0..<20:
            compare("remove \(slot)") { policy, _ in policy.remove(slot) }
            known.remove(slot)
            return "remove \(slot)"
        case 20..<40:
            return compare("evict") { policy, log in _ = policy.evict(&log) }
        case 40..<45:
            let cost = Int.random(in: maxCost...(maxCost * 20), using: &generator)
            return compare("limit \(cost)") { policy, log in
                policy.limits.cost = cost
                policy.shrink(&log)
            }
        default:
            return use(slot)
        }
    }

    /// Records a hit if the slot is held, else, or sometimes anyway, an insertion.
    private mutating func use(_ slot: Slot) -> String {
        if policy.holds(slot), Int.random(in: 0..<50, using: &generator) > 0 {
            return compare("hit \(slot)") { policy, log in
                if policy.hit(slot) { policy.settle(&log) }
            }
        }
        let cost = Int.random(in: 1...maxCost, using: &generator)
        guard cost <= policy.limits.cost else { return "nothing" }
        known.insert(slot)
        return compare("insert \(slot) at \(cost)") { policy, log in
            let isHeld = policy.insert(slot, cost: cost, &log)
            #expect(isHeld == policy.holds(slot))
        }
    }

    @discardableResult
    private mutating func compare(
        _ description: String,
        _ body: (inout any EvictionPolicy, inout EvictionLog) -> Void
    ) -> String {
        let log = Self.log(of: &policy, body)
        let naiveLog = Self.log(of: &naive, body)
        #expect(log.evicted == naiveLog.evicted, "\(description)")
        let forgotten = log.letGo.filter { !policy.knows($0) }
        #expect(Set(forgotten) == Set(naiveLog.letGo.filter { !naive.knows($0) }), "\(description)")
        #expect(known.isSuperset(of: forgotten), "\(description)")
        known.subtract(forgotten)
        return description
    }

    private static func log(
        of policy: inout some EvictionPolicy,
        _ body: (inout any EvictionPolicy, inout EvictionLog) -> Void
    ) -> EvictionLog {
        var log = EvictionLog()
        func opened<Concrete: EvictionPolicy>(_ concrete: inout Concrete) {
            var erased: any EvictionPolicy = concrete
            body(&erased, &log)
            if let changed = erased as? Concrete { concrete = changed }
        }
        opened(&policy)
        return log
    }
}
