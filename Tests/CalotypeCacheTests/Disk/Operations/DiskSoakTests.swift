import CalotypeCache
import CalotypeTesting
import FoundationEssentials
import Glibc
import TestMaterial
import TestSupport
import Testing

@Suite(.blocking) struct DiskSoakTests {
    /// The duration; one round unless it is a soak.
    private static let duration = Soak.isRequested ? Duration.seconds(60) : .zero

    @Test func `limits hold at every sample while eight tasks store, query and remove`() async throws {
        let fixture = try DiskFixture()
        let cache = try await fixture.cache(DiskSettings(sizeLimit: 60_000, countLimit: 60))
        let end = ContinuousClock.now + Self.duration
        var sampleCount = 0
        repeat {
            try await runRound(on: cache, seed: sampleCount)
            sampleCount += 8 * Self.stepCount
            // No task runs now, so an independent walk sees one moment.
            let files = try fixture.entryFiles()
            let usage = try await cache.usage()
            #expect(usage == StoreUsage(entryCount: files.count, byteCount: try fixture.byteCount(of: files)))
            #expect(try fixture.temporaryFiles() == [])
        } while ContinuousClock.now < end
        #expect(cache.statistics.damagedCount == 0)
        #expect(cache.statistics.maintenanceFailureCount == 0)
        if Self.duration > .zero { print("soak: \(sampleCount) samples, \(cache.statistics)") }
    }

    private static let stepCount = 150

    private func runRound(on cache: DiskCache, seed: Int) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<8 {
                group.addTask {
                    var generator = SeededGenerator(seed: UInt64(seed + task))
                    for _ in 0..<Self.stepCount {
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
    }
}
