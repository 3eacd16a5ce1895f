import CalotypeCache
import CalotypeCore
import CalotypeTesting
import FoundationEssentials
import Glibc
import TestMaterial
import TestSupport
import Testing

@Suite(.blocking) struct DiskExpiryTests {
    @Test func `an expired entry is a counted miss`() async throws {
        let fixture = try DiskFixture()
        let cache = try await fixture.cache(DiskSettings(expiry: .afterWrite(.seconds(100))))
        try await cache.store(testBytes(1), forKey: "k")
        fixture.clock.advance(by: .seconds(99))
        #expect(try await cache.blob(forKey: "k") != nil)
        fixture.clock.advance(by: .seconds(1))
        #expect(try await cache.blob(forKey: "k") == nil)
        #expect(try await !cache.contains("k"))
        #expect(cache.statistics.expiredCount == 1)
    }

    @Test func `a use prolongs an entry that expires after access`() async throws {
        let fixture = try DiskFixture()
        let cache = try await fixture.cache(DiskSettings(expiry: .afterAccess(.seconds(100))))
        try await cache.store(testBytes(1), forKey: "used")
        try await cache.store(testBytes(1), forKey: "unused")
        for _ in 0..<3 {
            fixture.clock.advance(by: .seconds(60))
            #expect(try await cache.blob(forKey: "used")?.expiresAt == fixture.clock.now() + .seconds(100))
        }
        #expect(try await cache.blob(forKey: "unused") == nil)
        try await cache.close()
        fixture.clock.advance(by: .seconds(60))
        let next = try await fixture.cache(nil)
        #expect(try await next.blob(forKey: "used") != nil)
    }

    @Test func `a use counts while it is being written to the file`() async throws {
        let fixture = try DiskFixture()
        let cache = try await fixture.cache(DiskSettings(expiry: .afterAccess(.seconds(100))))
        try await cache.store(testBytes(1), forKey: "k")
        fixture.clock.advance(by: .seconds(99))
        #expect(try await cache.blob(forKey: "k") != nil)
        let (reached, released) = (AsyncGate(), BlockingGate())
        fixture.files.hold(.setAccessTime, reached: reached, until: released)
        let flush = Task.immediate { try await cache.flush() }
        await reached.wait()
        fixture.clock.advance(by: .seconds(99))
        #expect(try await cache.blob(forKey: "k") != nil)
        released.open()
        try await flush.value
    }

    @Test func `a use written while the file is read counts`() async throws {
        let fixture = try DiskFixture()
        let cache = try await fixture.cache(DiskSettings(expiry: .afterAccess(.seconds(100))))
        try await cache.store(testBytes(1), forKey: "k")
        fixture.clock.advance(by: .seconds(99))
        #expect(try await cache.blob(forKey: "k") != nil)
        let (reached, released) = (AsyncGate(), BlockingGate())
        fixture.files.hold(.read, reached: reached, until: released)
        let read = Task { try await cache.blob(forKey: "k") }
        await reached.wait()
        fixture.clock.advance(by: .seconds(99))
        try await cache.flush()
        released.open()
        #expect(try await read.value != nil)
    }

    @Test func `closing waits for uses that another thread writes`() async throws {
        let fixture = try DiskFixture()
        let cache = try await fixture.cache(DiskSettings(expiry: .afterAccess(.seconds(100))))
        let keys = (0..<200).map { "k\($0)" }
        for key in keys { try await cache.store(testBytes(1), forKey: key) }
        let (reached, released) = (AsyncGate(), BlockingGate())
        fixture.files.hold(.setAccessTime, reached: reached, until: released)
        fixture.clock.advance(by: .seconds(1))
        for key in keys { #expect(try await cache.blob(forKey: key) != nil) }
        let usedAt = fixture.clock.now()
        fixture.clock.advance(by: .seconds(60))
        #expect(try await cache.blob(forKey: "k0") != nil)
        await reached.wait()
        let close = Task.immediate {
            try await cache.close()
            return try keys.map { try PosixFileSystem().status(at: cache.path(forKey: $0)).accessedAt }
        }
        released.open()
        #expect(try await close.value.allSatisfy { $0 >= usedAt })
    }

    @Test func `failing to write the last use of one file does not affect others`() async throws {
        let fixture = try DiskFixture()
        let cache = try await fixture.cache()
        let keys = (0..<20).map { "k\($0)" }
        for key in keys { try await cache.store(testBytes(1), forKey: key) }
        fixture.clock.advance(by: .seconds(10))
        for key in keys { _ = try await cache.blob(forKey: key) }
        fixture.files.arm(FaultyFileSystem.Fault(.setAccessTime, errorNumber: EPERM))
        try await cache.flush()
        let paths = keys.map { cache.path(forKey: $0) }
        let dates = try paths.map { try PosixFileSystem().status(at: $0).accessedAt }
        #expect(dates.count { $0 == fixture.clock.now() } == 19)
        #expect(cache.statistics.maintenanceFailureCount == 1)
    }

    @Test func `the expiry of an entry takes precedence over the directory's`() async throws {
        let fixture = try DiskFixture()
        let cache = try await fixture.cache(DiskSettings(expiry: .afterWrite(.seconds(100))))
        try await cache.store(
            testBytes(1),
            forKey: "short",
            options: BlobOptions(expiry: .afterWrite(.seconds(5)))
        )
        try await cache.store(testBytes(1), forKey: "ever", options: BlobOptions(expiry: .never))
        try await cache.store(testBytes(1), forKey: "plain")
        fixture.clock.advance(by: .seconds(50))
        #expect(try await cache.blob(forKey: "short") == nil)
        #expect(try await cache.blob(forKey: "plain") != nil)
        fixture.clock.advance(by: .seconds(50_000))
        #expect(try await cache.blob(forKey: "ever")?.expiresAt == nil)
        #expect(try await cache.blob(forKey: "ever") != nil)
        #expect(
            try await cache.removeExpired() == StoreUsage(entryCount: 2, byteCount: 1 + 5 + 64 + 1 + 5 + 64)
        )
        #expect(try await cache.usage().entryCount == 1)
        #expect(try fixture.entryFiles().count == 1)
    }

    @Test func `renewing replaces dates and metadata and preserves the bytes`() async throws {
        let fixture = try DiskFixture()
        let cache = try await fixture.cache(DiskSettings(expiry: .afterWrite(.seconds(100))))
        let data = testBytes(50_000)
        try await cache.store(data, forKey: "k.png", options: BlobOptions(metadata: Data([1])))
        fixture.clock.advance(by: .seconds(200))
        #expect(try await cache.blob(forKey: "k.png") == nil)
        #expect(try await cache.renewBlob(forKey: "k.png", options: BlobOptions(metadata: Data([2, 3]))))
        let now = fixture.clock.now()
        let expected = Blob(
            data: data,
            metadata: Data([2, 3]),
            writtenAt: now,
            expiresAt: now + .seconds(100)
        )
        #expect(try await cache.blob(forKey: "k.png") == expected)
        #expect(try await cache.usage().byteCount == fixture.byteCount(of: fixture.entryFiles()))
        #expect(try await !cache.renewBlob(forKey: "absent", options: BlobOptions()))
        #expect(fixture.files.calls.contains(.copy))
        #expect(try fixture.temporaryFiles().isEmpty)
    }
}
