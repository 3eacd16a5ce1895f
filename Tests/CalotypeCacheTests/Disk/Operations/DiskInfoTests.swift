import CalotypeCache
import CalotypeCore
import CalotypeTesting
import FoundationEssentials
import TestMaterial
import TestSupport
import Testing

@Suite(.blocking) struct DiskInfoTests {
    @Test func `the info of an entry is read without its payload, and is not a use`() async throws {
        let fixture = try DiskFixture()
        let cache = try await fixture.cache(DiskSettings(expiry: .afterAccess(.seconds(100))))
        // No walk runs while calls are counted.
        _ = try await cache.usage()
        let options = BlobOptions(metadata: Data([1, 2]))
        try await cache.store(testBytes(500_000), forKey: "k", options: options)
        let written = fixture.clock.now()
        fixture.clock.advance(by: .seconds(60))
        fixture.files.arm(nil)
        let info = try #require(try await cache.blobInfo(forKey: "k"))
        #expect((info.byteCount, info.metadata) == (500_000, Data([1, 2])))
        #expect(info.writtenAt == written)
        // Uses differ by nanoseconds while the clock is stopped.
        let expiresAt = try #require(info.expiresAt)
        #expect(expiresAt.duration(since: written + .seconds(100)) < .microseconds(1))
        #expect(fixture.files.calls == [.open, .status, .read, .close])
        #expect(try await cache.blobInfo(forKey: "absent") == nil)
        fixture.clock.advance(by: .seconds(41))
        #expect(try await cache.blobInfo(forKey: "k") == nil)
        #expect(try await !cache.contains("k"))
    }

    @Test func `entries unused since a given time are removed, and others stay`() async throws {
        let fixture = try DiskFixture()
        let cache = try await fixture.cache()
        for index in 0..<10 { try await cache.store(testBytes(5), forKey: "\(index)") }
        fixture.clock.advance(by: .seconds(60))
        let time = fixture.clock.now()
        _ = try await cache.blob(forKey: "3")
        try await cache.store(testBytes(5), forKey: "new")
        #expect(try await cache.removeBlobs(unusedSince: time).entryCount == 9)
        #expect(try await cache.contains("3"))
        #expect(try await cache.contains("new"))
        #expect(try fixture.entryFiles().count == 2)
    }
}
