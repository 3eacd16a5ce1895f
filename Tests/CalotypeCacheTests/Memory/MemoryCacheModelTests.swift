import CalotypeCache
import CalotypeTesting
import Glibc
import TestMaterial
import TestSupport
import Testing

/// Random operations on a cache and on a naive twin, over every policy and all kinds of costs and limits.
@Suite(.blocking, .skipped(under: .thread, because: "computes on one thread")) struct MemoryCacheModelTests {
    /// Operations over all tests together.
    private static let operationCount = Soak.isRequested ? 100_000_000 : 1_000_000

    /// Most of the operations are for the most complex policy.
    private static let policies: [EvictionPolicyKind] = [.lru, .s3fifo, .duo, .duo, .duo]

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
