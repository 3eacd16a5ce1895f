import CalotypeCache
import CalotypeTesting
import FoundationEssentials
import TestMaterial
import TestSupport
import Testing

/// The number of file calls per operation: these counts are part of the contract.
@Suite(.blocking) struct DiskCallTests {
    @Test func `a hit costs open, fstat, read and close`() async throws {
        let fixture = try DiskFixture()
        let cache = try await fixture.cache()
        try await cache.store(testBytes(20_000), forKey: "k")
        _ = try await cache.usage()
        fixture.files.arm(nil)
        _ = try await cache.blob(forKey: "k")
        #expect(fixture.files.calls == [.open, .status, .read, .close])
        fixture.files.arm(nil)
        #expect(try cache.read(EntryName(key: "k"), key: "k").blob != nil)
        #expect(fixture.files.calls == [.open, .status, .read, .close])
        fixture.files.arm(nil)
        _ = try await cache.blob(forKey: "absent")
        #expect(fixture.files.calls == [.open])
    }

    @Test func `a short record needs one read, and a long one two`() async throws {
        let fixture = try DiskFixture()
        let cache = try await fixture.cache()
        let reader = EntryReader(fileSystem: fixture.files, layout: try fixture.configuration().layout())
        for (metadataByteCount, readCount) in [(0, 1), (900, 1), (2000, 2)] {
            let options = BlobOptions(metadata: testBytes(metadataByteCount))
            try await cache.store(testBytes(20_000), forKey: "k", options: options)
            let name = EntryName(key: "k")
            for isCached in [false, true] {
                fixture.files.arm(nil)
                let outcome =
                    try isCached
                    ? reader.readRecordCached(name, key: "k") : reader.readRecord(name, key: "k")
                guard case .found(let entry) = outcome else {
                    Issue.record("the entry is not there")
                    return
                }
                #expect(entry.record.metadata == options.metadata)
                #expect(fixture.files.calls.count { $0 == .read } == readCount)
            }
        }
    }

    @Test func `a store writes once and renames once`() async throws {
        let fixture = try DiskFixture()
        let cache = try await fixture.cache()
        try await cache.store(testBytes(20_000), forKey: "k")
        _ = try await cache.usage()
        fixture.files.arm(nil)
        try await cache.store(testBytes(20_000), forKey: "k")
        #expect(fixture.files.calls == [.open, .write, .setTimes, .status, .close, .rename])
    }

    @Test func `a store beyond a share of the limit looks for other writers with one call`() async throws {
        let fixture = try DiskFixture()
        let cache = try await fixture.cache(DiskSettings(sizeLimit: 1_000_000))
        _ = try await cache.usage()
        try await cache.store(testBytes(20_000), forKey: "k")
        fixture.files.arm(nil)
        try await cache.store(testBytes(20_000), forKey: "k")
        let store: [FaultyFileSystem.Call] = [.open, .write, .setTimes, .status, .close, .rename]
        let layout = try fixture.configuration().layout()
        // Not every file system reports the number of subfolders as the link count.
        let tells = try PosixFileSystem().status(at: layout.temporary).linkCount == 3
        #expect(fixture.files.calls == store + (tells ? [.status] : [.status, .list]))
    }

    @Test func `a durable store synchronises the file before the rename and the folder after`() async throws {
        let fixture = try DiskFixture()
        let cache = try await DiskCache.open(fixture.configuration(durability: .powerLoss))
        try await cache.store(testBytes(20_000), forKey: "k")
        _ = try await cache.usage()
        fixture.files.arm(nil)
        try await cache.store(testBytes(20_000), forKey: "k")
        #expect(
            fixture.files.calls == [
                .open, .write, .setTimes, .synchronize, .status, .close, .rename, .open, .synchronize, .close,
            ]
        )
    }

    @Test func `the first query does not wait for the walk`() async throws {
        let fixture = try DiskFixture()
        let first = try await fixture.cache()
        try await first.store(testBytes(10), forKey: "k")
        try await first.close()
        let (reached, released) = (AsyncGate(), BlockingGate())
        // The opening lists `tmp` first; the walk lists all other folders.
        fixture.files.hold(.list, skipping: 1, reached: reached, until: released)
        let cache = try DiskCache(fixture.configuration(nil))
        await reached.wait()
        #expect(try await cache.blob(forKey: "k")?.data == testBytes(10))
        released.open()
        #expect(try await cache.usage().entryCount == 1)
    }
}
