import CalotypeCache
import CalotypeTesting
import FoundationEssentials
import TestTraits
import Testing

@Suite(.blocking) struct DiskSoakTests {
    @Test func `limits hold at every sample while eight tasks store, query and remove`() async throws {
        let fixture = try DiskFixture()
        let cache = try await fixture.cache(DiskSettings(sizeLimit: 60_000, countLimit: 60))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<8 {
                group.addTask {
                    var generator = SeededGenerator(seed: UInt64(task))
                    for _ in 0..<150 {
                        let key = Int.random(in: 0..<100, using: &generator)
                        let version = UInt64.random(in: 1 ... .max, using: &generator)
                        switch Int.random(in: 0..<10, using: &generator) {
                        case 0: try await cache.removeBlob(forKey: "\(key)")
                        case 1..<5:
                            let blob = try await cache.blob(forKey: "\(key)")
                            #expect(blob.map { ProbeContent.version(of: $0.data, key: key) != nil } ?? true)
                        default:
                            let bytes = ProbeContent.bytes(key: key, version: version)
                            try await cache.store(bytes, forKey: "\(key)")
                        }
                        let usage = try await cache.usage()
                        #expect(usage.byteCount <= 60_000)
                        #expect(usage.entryCount <= 60)
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try await cache.usage().byteCount == fixture.byteCount(of: fixture.entryFiles()))
        #expect(cache.statistics.damagedCount == 0)
        #expect(cache.statistics.maintenanceFailureCount == 0)
    }
}
