import CalotypeCache
import CalotypeTesting
import Glibc
import TestSupport
import Testing

/// Random operations on a cache and on a naive twin, over every policy and all kinds of costs and limits.
@Suite(.blocking) struct MemoryCacheModelTests {
    /// Operations over all tests together: `make soak` sets more.
    private static let operationCount: Int = {
        guard let text = getenv("CALOTYPE_MODEL_OPERATIONS") else { return 1_000_000 }
        return Int(String(cString: text)) ?? 1_000_000
    }()

    /// Half of the operations are for the most complex policy.
    private static let policies: [EvictionPolicyKind] = [.lru, .clock, .s3fifo, .duo, .duo, .duo]

    @Test(arguments: policies.indices)
    func `every lookup returns the value stored last under its key`(lane: Int) {
        let policy = Self.policies[lane]
        var left = Self.operationCount / Self.policies.count
        var seed = UInt64(lane)
        while left > 0 {
            var generator = SeededGenerator(seed: seed)
            let setting = MemoryCacheSetting(policy: policy, &generator)
            do {
                var model = MemoryCacheModel(setting)
                try model.run(stepCount: setting.stepCount, &generator)
            } catch {
                Issue.record("seed \(seed): \(error)")
                return
            }
            left -= setting.stepCount
            seed += UInt64(Self.policies.count)
        }
    }
}
