import CalotypeCache
import CalotypeTesting
import Glibc
import TestMaterial
import TestSupport
import Testing

/// Random operations on the index and on a naive twin.
@Suite(.blocking, .skipped(under: .thread, because: "computes on one thread")) struct DiskIndexModelTests {
    /// Operations over all tests together.
    private static let operationCount = Soak.isRequested ? 100_000_000 : 1_000_000

    private static let laneCount = 4

    @Test(arguments: 0..<laneCount)
    func `the index agrees with its model, also in the order of evictions`(lane: Int) {
        var left = Self.operationCount / Self.laneCount
        var seed = UInt64(lane)
        while left > 0 {
            var generator = SeededGenerator(seed: seed)
            let keyCount = [1, 2, 5, 20, 60, 150].randomElement(using: &generator) ?? 1
            var model = DiskIndexModel(keyCount: keyCount)
            do {
                for step in 1...5000 {
                    let time = Int64(step)
                    try model.apply(.init(keyCount: keyCount, time: time, &generator))
                    if step % 500 == 0 || keyCount < 3 { try model.check() }
                }
            } catch {
                Issue.record("seed \(seed), \(keyCount) keys: \(error)")
                return
            }
            left -= 5000
            seed += UInt64(Self.laneCount)
        }
    }
}
