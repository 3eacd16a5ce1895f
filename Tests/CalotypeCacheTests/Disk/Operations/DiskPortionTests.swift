import CalotypeCore
import CalotypeSupport
import CalotypeTesting
import FoundationEssentials
import Glibc
import TestMaterial
import TestSupport
import Testing

@testable import CalotypeCache

/// Immediate work is bounded, and deferred work is completed.
@Suite(.blocking) struct DiskPortionTests {
    private func cache(_ fixture: DiskFixture, entryCount: Int) async throws -> DiskCache {
        let cache = try await fixture.cache(DiskSettings(countLimit: entryCount, expiry: .never))
        for index in 0..<entryCount { try await cache.store(Data(), forKey: "\(index)") }
        _ = try await cache.usage()
        return cache
    }

    /// Lowers the limit while the thread for deferred removals is held at its first removal.
    private func whileOwing(
        _ fixture: DiskFixture,
        _ cache: DiskCache,
        countLimit: Int,
        _ body: () async throws -> Void
    ) async throws {
        let (reached, released) = (AsyncGate(), BlockingGate())
        fixture.files.hold(.removeFile, reached: reached, until: released)
        let update = Task { try await cache.update(DiskSettings(countLimit: countLimit, expiry: .never)) }
        await reached.wait()
        defer { released.open() }
        try await body()
        released.open()
        try await update.value
    }

    @Test func `a write removes a few hundred entries at most, and the rest is removed later`() async throws {
        let fixture = try DiskFixture()
        let cache = try await cache(fixture, entryCount: 1500)
        try await whileOwing(fixture, cache, countLimit: 100) {
            fixture.files.arm(nil)
            try await cache.store(Data(), forKey: "new")
            let removalCount = fixture.files.calls.count { $0 == .removeFile }
            #expect(removalCount > 0)
            #expect(removalCount <= 5 * DiskCacheState.portion)
            #expect(try fixture.entryFiles().count > 1000)
        }
        #expect(try await cache.usage().entryCount <= 100)
        #expect(try fixture.entryFiles().count <= 100)
        #expect(try await cache.contains("new"))
    }

    @Test func `a hit does not wait while many entries are removed`() async throws {
        let fixture = try DiskFixture()
        let cache = try await cache(fixture, entryCount: 300)
        #expect(try await cache.blob(forKey: "299") != nil)
        try await whileOwing(fixture, cache, countLimit: 10) {
            // Also while the lock of the writers is held.
            let name = EntryName(key: "299")
            let isRead = cache.state.withLock { _ in cache.readCached(name, key: "299")?.blob != nil }
            #expect(isRead)
        }
    }

    @Test func `lowered limits hold when the update returns, and are stored in the directory`() async throws {
        let fixture = try DiskFixture()
        let cache = try await cache(fixture, entryCount: 200)
        try await cache.update(DiskSettings(countLimit: 50, expiry: .never))
        #expect(try fixture.entryFiles().count <= 50)
        #expect(try await cache.contains("199"))
        try await cache.close()
        let next = try await fixture.cache(nil)
        #expect(next.configuration.settings == nil)
        for index in 0..<60 { try await next.store(Data(), forKey: "more \(index)") }
        #expect(try await next.usage().entryCount <= 50)
        await expectCode(.invalidConfiguration) { try await next.update(DiskSettings(sizeLimit: -1)) }
    }

    @Test func `entries that cannot be removed are not retried by every write`() async throws {
        let fixture = try DiskFixture()
        let cache = try await cache(fixture, entryCount: 200)
        let stuck = Set((0..<100).map { EntryName(key: "\($0)").fileName })
        fixture.files.refuse(.rename, with: EPERM) { path in
            path.contains("/tmp/") && stuck.contains(String(path.split(separator: "/").last ?? ""))
        }
        // When the first of these returns, all removable entries were removed or tried.
        for index in 0..<50 { try await cache.store(Data(), forKey: "first \(index)") }
        try await cache.flush()
        let before = cache.statistics.maintenanceFailureCount
        for index in 0..<50 { try await cache.store(Data(), forKey: "second \(index)") }
        try await cache.flush()
        #expect(cache.statistics.maintenanceFailureCount - before <= 100)
        #expect(try fixture.entryFiles().count <= 200)
        #expect(try await cache.contains("second 49"))
    }

    @Test func `expired entries are removed gradually during writes`() async throws {
        let fixture = try DiskFixture()
        let rule = DiskSettings(countLimit: 1000, expiry: .afterWrite(.seconds(100)))
        let cache = try await fixture.cache(rule)
        for index in 0..<20 { try await cache.store(testBytes(1), forKey: "old \(index)") }
        fixture.clock.advance(by: .seconds(200))
        for index in 0..<600 {
            try await cache.store(Data(), forKey: "\(index % 20)")
            await cache.maintenancePool.run {}
        }
        await cache.maintenancePool.run {}
        #expect(try fixture.entryFiles().count == 20)
    }
}
