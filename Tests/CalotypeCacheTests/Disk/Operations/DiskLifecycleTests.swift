import CalotypeCache
import CalotypeCore
import CalotypeTesting
import FoundationEssentials
import TestMaterial
import TestSupport
import Testing

@Suite(.blocking) struct DiskLifecycleTests {
    private let rule = DiskSettings(expiry: .afterWrite(.seconds(100)))

    /// Entries of each kind of expiry, all written now.
    private func store(in cache: DiskCache) async throws {
        try await cache.store(testBytes(1), forKey: "plain")
        try await cache.store(testBytes(1), forKey: "ever", options: BlobOptions(expiry: .never))
        let soon = BlobOptions(expiry: .afterWrite(.seconds(5)))
        try await cache.store(testBytes(1), forKey: "soon", options: soon)
    }

    private func keys(_ cache: DiskCache) async throws -> [String] {
        try await cache.entries().map(\.key).sorted()
    }

    @Test func `closing removes expired entries and no others`() async throws {
        let fixture = try DiskFixture()
        let first = try await fixture.cache(rule)
        try await store(in: first)
        fixture.clock.advance(by: .seconds(50))
        try await first.close()
        let second = try await fixture.cache(nil)
        #expect(try await keys(second) == ["ever", "plain"])
        // Returns when earlier entries are counted: closing removes only known entries.
        #expect(try await second.usage().entryCount == 2)
        fixture.clock.advance(by: .seconds(50))
        try await second.close()
        let third = try await fixture.cache(nil)
        #expect(try await keys(third) == ["ever"])
        #expect(third.statistics.maintenanceFailureCount == 0)
    }

    @Test func `closing retains expired entries if so configured`() async throws {
        let fixture = try DiskFixture()
        var configuration = fixture.configuration(rule)
        configuration.removesExpiredOnClose = false
        let cache = try await DiskCache.open(configuration)
        try await store(in: cache)
        fixture.clock.advance(by: .seconds(100))
        try await cache.close()
        #expect(try fixture.entryFiles().count == 3)
    }

    @Test func `closing removes entries unused for long if expiry follows access`() async throws {
        let fixture = try DiskFixture()
        let cache = try await fixture.cache(DiskSettings(expiry: .afterAccess(.seconds(100))))
        for key in ["used", "unused"] { try await cache.store(testBytes(1), forKey: key) }
        fixture.clock.advance(by: .seconds(60))
        #expect(try await cache.blob(forKey: "used") != nil)
        fixture.clock.advance(by: .seconds(60))
        try await cache.close()
        #expect(try await keys(fixture.cache(nil)) == ["used"])
    }

    @Test func `flushing writes last uses, removes expired entries, and the cache stays open`() async throws {
        let fixture = try DiskFixture()
        let cache = try await fixture.cache(rule)
        try await store(in: cache)
        fixture.clock.advance(by: .seconds(99))
        #expect(try await cache.blob(forKey: "plain") != nil)
        try await cache.flush()
        let other = try await fixture.cache(nil)
        let entries = try await other.entries()
        #expect(entries.map(\.key).sorted() == ["ever", "plain"])
        #expect(entries.first { $0.key == "plain" }?.accessedAt == fixture.clock.now())
        try await other.close()
        try await cache.store(testBytes(2), forKey: "later")
        #expect(try await cache.blob(forKey: "later")?.data == testBytes(2))
    }

    @Test func `flushing returns after the operations issued before it`() async throws {
        let fixture = try DiskFixture()
        let cache = try await fixture.cache()
        let (reached, released) = (AsyncGate(), BlockingGate())
        fixture.files.hold(.rename, reached: reached, until: released)
        let store = Task.immediate { try await cache.store(testBytes(10), forKey: "k") }
        await reached.wait()
        let flush = Task.immediate {
            try await cache.flush()
            return try fixture.entryFiles().count
        }
        released.open()
        #expect(try await flush.value == 1)
        try await store.value
    }

    @Test func `flushing a closed cache is an error`() async throws {
        let cache = try await DiskFixture().cache()
        try await cache.close()
        await expectCode(.closed) { try await cache.flush() }
    }

    @Test func `moving and clearing report progress`() async throws {
        let fixture = try DiskFixture()
        var configuration = fixture.configuration()
        configuration.namespace = "old"
        let old = try await DiskCache.open(configuration)
        let cache = try await fixture.cache()
        for index in 0..<20 { try await old.store(testBytes(10), forKey: "\(index)") }
        try await cache.store(testBytes(10), forKey: "0")
        try await old.close()
        let told = SharedState<[DiskProgress]>([])
        try await cache.move(from: fixture.scratch.path + "/cache/old") { progress in
            told.withLock { $0.append(progress) }
        }
        #expect(told.value.last == DiskProgress(finishedCount: 20, totalCount: 20))
        #expect(told.value.map(\.finishedCount) == told.value.map(\.finishedCount).sorted())
        #expect(told.value.count <= 256)
        told.withLock { $0 = [] }
        _ = try await cache.usage()
        let removed = try await cache.removeAll { progress in told.withLock { $0.append(progress) } }
        #expect(removed.entryCount == 20)
        #expect(told.value.last == DiskProgress(finishedCount: 20, totalCount: 20))
        #expect(told.value.allSatisfy { $0.totalCount == 20 })
    }
}
