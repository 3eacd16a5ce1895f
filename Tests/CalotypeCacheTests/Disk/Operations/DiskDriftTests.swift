import CalotypeCore
import CalotypeSupport
import CalotypeTesting
import FoundationEssentials
import Glibc
import TestMaterial
import TestSupport
import Testing

@testable import CalotypeCache

/// Differences between the index and the disk after changes by others or the system.
@Suite(.blocking) struct DiskDriftTests {
    /// Two caches of one directory; the first has stored entries.
    private func pair(
        _ fixture: DiskFixture,
        entryCount: Int
    ) async throws -> (DiskCache, DiskCache) {
        let settings = DiskSettings(countLimit: 10_000, expiry: .never)
        let first = try await fixture.cache(settings)
        for index in 0..<entryCount { try await first.store(Data(), forKey: "\(index)") }
        let second = try await fixture.cache(nil)
        _ = try await second.usage()
        return (first, second)
    }

    @Test func `trimming terminates when another cache removed the entries`() async throws {
        let fixture = try DiskFixture()
        let (first, second) = try await pair(fixture, entryCount: 300)
        #expect(try await second.removeAll().entryCount == 300)
        try await first.update(DiskSettings(countLimit: 10, expiry: .never))
        try await first.flush()
        #expect(try await first.usage().entryCount <= 10)
        try await first.close()
        try await second.close()
    }

    @Test func `removing everything forgets entries that another cache removed`() async throws {
        let fixture = try DiskFixture()
        let (first, second) = try await pair(fixture, entryCount: 50)
        try await second.removeAll()
        #expect(try await first.removeAll() == StoreUsage())
        #expect(try await first.usage() == StoreUsage())
    }

    @Test func `trimming continues past entries that another cache removed`() async throws {
        let fixture = try DiskFixture()
        let (first, second) = try await pair(fixture, entryCount: 300)
        for index in 0..<200 { try await second.removeBlob(forKey: "\(index)") }
        #expect(try await first.trim(toSize: 0).entryCount == 100)
        #expect(try fixture.entryFiles().isEmpty)
    }

    @Test func `files that claim to be longer than any disk are counted without harm`() async throws {
        let fixture = try DiskFixture()
        let cache = try await fixture.cache(DiskSettings(sizeLimit: 1 << 40, expiry: .never))
        for index in 0..<2 {
            let key = "\(index)"
            try await cache.store(testBytes(1), forKey: key)
            let size = off_t(1) << 43
            guard truncate(cache.path(forKey: key), size) == 0 else { return }
        }
        try await cache.close()
        let next = try await fixture.cache(nil)
        #expect(try await next.usage().byteCount == 2 * (EntryRecord.maxFileByteCount + 1))
        #expect(try await next.blob(forKey: "0") == nil)
        #expect(try await next.removeAll().entryCount == 1)
        // Sizes whose sum overflows, each in its own index and together in one.
        let most = FileStatus(
            kind: .file,
            byteCount: .max,
            inode: 1,
            accessedAt: fixture.clock.now(),
            writtenAt: fixture.clock.now()
        )
        var index = DiskIndex(policy: LRUDiskPolicy())
        for key in 0..<3 {
            index.merge(
                DiskIndexEntry(name: EntryName(key: "\(key)"), status: most, now: fixture.clock.now())
            )
        }
        #expect(index.byteCount == 3 * (EntryRecord.maxFileByteCount + 1))
    }

    @Test func `a fitting entry stays, though it alone exceeds the trim target`() async throws {
        let fixture = try DiskFixture()
        let cache = try await fixture.cache(DiskSettings(sizeLimit: 10_000, expiry: .never))
        try await cache.store(testBytes(1000), forKey: "small")
        try await cache.store(testBytes(9800), forKey: "large")
        _ = try await cache.usage()
        try await cache.flush()
        #expect(try await cache.contains("large"))
        #expect(try await !cache.contains("small"))
    }

    @Test func `writing uses back becomes due once for many uses`() {
        var uses = PendingAccessTimes()
        let time = Timestamp(nanosecondsSince1970: 0)
        let answers = (0..<200).map { uses.note(EntryName(key: "\($0)"), at: time) }
        #expect(answers.count { $0 } == 1)
        _ = uses.beginWriting()
        uses.endWriting()
        let isTime = uses.note(EntryName(key: "0"), at: time)
        #expect(!isTime)
    }

    @Test func `a use that is to be written is not changed by the date of its file`() {
        var uses = PendingAccessTimes()
        let (name, time) = (EntryName(key: "k"), Timestamp(nanosecondsSince1970: 9))
        _ = uses.note(name, at: time)
        #expect(uses.noteUnlessKnown(name, at: Timestamp(nanosecondsSince1970: 0)) == false)
        #expect(uses.beginWriting() == [name: time])
        #expect(uses.noteUnlessKnown(name, at: Timestamp(nanosecondsSince1970: 0)) == false)
        uses.endWriting()
        #expect(uses[name] == nil && uses.noteUnlessKnown(name, at: time))
    }

    @Test func `the reported usage saturates at its bounds`() {
        var ledger = NeighbourLedger()
        let rules = DiskRules(sizeLimit: 1 << 20, countLimit: .max, expiry: .never)
        let most = StoreUsage(entryCount: 1 << 52, byteCount: 1 << 52)
        let living = Dictionary(uniqueKeysWithValues: (0..<9).map { ("w\($0)", Optional(most)) })
        _ = ledger.didLook(living: living, dead: most, rules: rules)
        _ = ledger.didLook(living: living, dead: most, rules: rules)
        for folder in 0..<256 { ledger.didWalk(folder) }
        #expect(NeighbourLedger.usage(parsing: NeighbourLedger.text(ledger.toTell)) == most)
        #expect(ledger.unseen == StoreUsage())
    }

    @Test func `an entry is evicted even if no folder can be created to set it aside`() async throws {
        let fixture = try DiskFixture()
        let first = try await fixture.cache(DiskSettings(countLimit: 100, expiry: .never))
        for index in 0..<20 { try await first.store(testBytes(10), forKey: "\(index)") }
        try await first.close()
        let cache = try await fixture.cache(nil)
        fixture.files.refuse(.makeFolder, with: ENOSPC) { $0.contains("/tmp/w") }
        #expect(try await cache.trim(toSize: 0).entryCount == 20)
    }

    @Test func `foreign files are restored when the folder of a dead writer is swept`() async throws {
        let fixture = try DiskFixture()
        let cache = try await fixture.cache()
        try await cache.store(testBytes(10), forKey: "k")
        let place = cache.layout.folder(of: EntryName(key: "k"))
        try await cache.close()
        let name = WriterFileName.removed(folder: EntryName(key: "k").folderIndex, 3)
        let aside = "\(cache.layout.temporary)/wdead/\(name)"
        try FileManager.default.createDirectory(atPath: aside, withIntermediateDirectories: true)
        try Data([1]).write(to: URL(filePath: aside + "/notes.txt"))
        try Data([2]).write(to: URL(filePath: aside + "/" + EntryName(key: "gone").fileName))
        let next = try await fixture.cache(nil)
        await next.maintenancePool.run {}
        #expect(try Data(contentsOf: URL(filePath: place + "/notes.txt")) == Data([1]))
        #expect(!FileManager.default.fileExists(atPath: "\(cache.layout.temporary)/wdead"))
        #expect(try fixture.entryFiles().count == 1)
    }
}
