import CalotypeCache
import CalotypeCore
import CalotypeTesting
import FoundationEssentials
import Glibc
import TestMaterial
import TestSupport
import Testing

@Suite(
    .blocking,
    .skipped(under: .address, .thread, because: "repeats operations for each fault, one after the other")
) struct DiskFaultTests {
    private static let errorNumbers = [ENOSPC, EIO, EACCES, EMFILE, ENOENT]

    /// Runs an operation on a cache with one entry, once for each file call, with that call failing.
    private func failEachCall(
        _ errorNumber: Int32,
        durability: DiskDurability = .processCrash,
        _ action: (DiskCache) async throws -> Void
    ) async throws {
        for skipping in 0..<200 {
            let fixture = try DiskFixture()
            let cache = try await DiskCache.open(fixture.configuration(durability: durability))
            _ = try await cache.usage()
            try await cache.store(testBytes(10), forKey: "doomed")
            try await cache.store(testBytes(300, seed: 1), forKey: "old")
            fixture.files.arm(.init(skipping: skipping, errorNumber: errorNumber))
            do {
                try await action(cache)
            } catch is DiskCacheError {
                // Reported as required.
            }
            let hasFailed = fixture.files.hasFailed
            let calls = fixture.files.calls
            fixture.files.arm(nil)
            let comment: Comment = "call \(skipping) of \(calls), error \(errorNumber)"
            // The earlier entry is intact, old or new, and everything works again.
            let old = try await cache.blob(forKey: "old")?.data
            #expect(old == testBytes(300, seed: 1) || old == testBytes(300, seed: 2), comment)
            try await cache.store(testBytes(200, seed: 3), forKey: "after")
            #expect(try await cache.blob(forKey: "after")?.data == testBytes(200, seed: 3), comment)
            #expect(try await cache.verify().corruptCount == 0, comment)
            try await cache.close()
            #expect(fixture.files.openFileCount == 0, comment)
            // The next process that opens the directory finds it intact.
            let next = try await fixture.cache(nil)
            let usage = try await next.usage()
            #expect(try usage.byteCount == fixture.byteCount(of: fixture.entryFiles()), comment)
            #expect(try fixture.temporaryFiles().isEmpty, comment)
            guard hasFailed else { return }
        }
        Issue.record("more than 200 calls")
    }

    @Test(arguments: errorNumbers)
    func `a store that fails at any call preserves the earlier entry`(errorNumber: Int32) async throws {
        try await failEachCall(errorNumber) { try await $0.store(testBytes(300, seed: 2), forKey: "old") }
    }

    @Test(arguments: errorNumbers)
    func `a durable store that fails at any call preserves the earlier entry`(errorNumber: Int32) async throws
    {
        try await failEachCall(errorNumber, durability: .powerLoss) {
            try await $0.store(testBytes(300, seed: 2), forKey: "old")
        }
    }

    @Test func `an entry whose folder could not be synchronised is counted, evicted and reported`()
        async throws
    {
        let fixture = try DiskFixture()
        let cache = try await DiskCache.open(fixture.configuration(durability: .powerLoss))
        try await cache.store(testBytes(10), forKey: "k")
        _ = try await cache.usage()
        fixture.files.arm(.init(.synchronize, skipping: 1, errorNumber: EIO))
        await expectCode(.inputOutput) { try await cache.store(testBytes(300), forKey: "k") }
        #expect(fixture.files.hasFailed)
        #expect(try await cache.blob(forKey: "k")?.data == testBytes(300))
        #expect(try await cache.usage().byteCount == fixture.byteCount(of: fixture.entryFiles()))
        try await cache.trim(toSize: 0)
        #expect(try fixture.entryFiles() == [])
    }

    @Test func `a file system that cannot synchronise folders is supported`() async throws {
        let fixture = try DiskFixture()
        let cache = try await DiskCache.open(fixture.configuration(durability: .powerLoss))
        try await cache.store(testBytes(10), forKey: "k")
        fixture.files.arm(.init(.synchronize, skipping: 1, errorNumber: EINVAL))
        try await cache.store(testBytes(300), forKey: "k")
        #expect(fixture.files.hasFailed)
    }

    @Test func `a write is retried when another host removed the file`() async throws {
        let fixture = try DiskFixture()
        let cache = try await fixture.cache()
        try await cache.store(testBytes(10), forKey: "k")
        for call in [FaultyFileSystem.Call.open, .write, .rename] {
            fixture.files.arm(.init(call, errorNumber: ESTALE))
            try await cache.store(testBytes(300), forKey: "k")
            #expect(fixture.files.hasFailed)
        }
        fixture.files.arm(.init(.read, errorNumber: ESTALE))
        #expect(try cache.read(EntryName(key: "k"), key: "k").blob == nil)
        #expect(try await cache.blob(forKey: "k")?.data == testBytes(300))
    }

    @Test(arguments: errorNumbers)
    func `a renewal that fails at any call preserves the earlier entry`(errorNumber: Int32) async throws {
        try await failEachCall(errorNumber) {
            try await $0.renewBlob(forKey: "old", options: BlobOptions(metadata: Data([7])))
        }
    }

    @Test(arguments: errorNumbers)
    func `a read that fails at any call succeeds later`(errorNumber: Int32) async throws {
        try await failEachCall(errorNumber) { cache in
            let data = try await cache.blob(forKey: "old")?.data
            #expect(data == nil || data == testBytes(300, seed: 1))
        }
    }

    @Test(arguments: errorNumbers)
    func `a removal that fails at any call leaves whole entries`(errorNumber: Int32) async throws {
        try await failEachCall(errorNumber) { try await $0.removeBlob(forKey: "doomed") }
    }

    @Test(arguments: errorNumbers, [FaultyFileSystem.Call.list, .removeFile])
    func `clearing that fails at a call removes the other entries and throws`(
        errorNumber: Int32,
        call: FaultyFileSystem.Call
    ) async throws {
        let fixture = try DiskFixture()
        let cache = try await fixture.cache()
        for index in 0..<20 { try await cache.store(testBytes(10), forKey: "\(index)") }
        _ = try await cache.usage()
        fixture.files.arm(.init(call, skipping: 3, errorNumber: errorNumber))
        // A file that is reported absent but exists, like one stored meanwhile by another process, is
        // found when its folder is to be removed.
        if errorNumber == ENOENT, call == .removeFile {
            try await cache.removeAll()
            return #expect(try fixture.entryFiles().isEmpty)
        }
        do {
            try await cache.removeAll()
            Issue.record("the failure is reported")
        } catch {
            #expect(error.errorNumber == errorNumber)
        }
        let leftCount = try fixture.entryFiles().count
        #expect((1...3).contains(leftCount))
        if call == .removeFile {
            #expect(try await cache.usage().entryCount == leftCount, "unremoved entries are counted")
        }
        try await cache.removeAll()
        #expect(try fixture.entryFiles().isEmpty)
    }

    @Test(arguments: errorNumbers)
    func `an eviction that fails at any call does not fail the store`(errorNumber: Int32) async throws {
        for skipping in 0..<100 {
            let fixture = try DiskFixture()
            let cache = try await fixture.cache(DiskSettings(countLimit: 2))
            for index in 0..<2 { try await cache.store(testBytes(10), forKey: "\(index)") }
            _ = try await cache.usage()
            // The new entry is the youngest, also for a background walk that reads the dates of files.
            fixture.clock.advance(by: .seconds(1))
            let fault = FaultyFileSystem.Fault(skipping: skipping, errorNumber: errorNumber)
            fixture.files.arm(fault)
            var isStored = true
            do {
                try await cache.store(testBytes(10, seed: 5), forKey: "new")
            } catch {
                isStored = false
            }
            let hasFailed = fixture.files.hasFailed
            let comment: Comment = "call \(skipping) of \(fixture.files.calls)"
            fixture.files.arm(nil)
            #expect(try await (cache.blob(forKey: "new") != nil) == isStored, comment)
            try await cache.store(testBytes(10), forKey: "more")
            #expect(try await cache.usage().entryCount <= 2, comment)
            // A false absence makes the cache forget a file, as after a removal by another process.
            if errorNumber != ENOENT { #expect(try fixture.entryFiles().count <= 2, comment) }
            try await cache.close()
            guard hasFailed else { return }
        }
    }

    @Test(arguments: errorNumbers)
    func `a cache whose opening failed at any call works later`(errorNumber: Int32) async throws {
        let before = try DiskFixture()
        let first = try await before.cache(DiskSettings(countLimit: 50))
        try await first.store(testBytes(300, seed: 1), forKey: "old")
        try await first.close()
        for skipping in 0..<700 {
            before.files.arm(.init(skipping: skipping, errorNumber: errorNumber))
            let cache = try DiskCache(before.configuration(DiskSettings(countLimit: 50)))
            do {
                _ = try await cache.usage()
            } catch {
                // The walk failed and was reported.
            }
            let hasFailed = before.files.hasFailed
            before.files.arm(nil)
            #expect(try await cache.blob(forKey: "old")?.data == testBytes(300, seed: 1), "call \(skipping)")
            try await cache.store(testBytes(5), forKey: "new")
            #expect(try await cache.blob(forKey: "new") != nil, "call \(skipping)")
            try await cache.close()
            #expect(before.files.openFileCount == 0, "call \(skipping)")
            guard hasFailed else { return }
        }
        Issue.record("more than 700 calls")
    }

    @Test func `a full disk causes one eviction, and the store succeeds`() async throws {
        let fixture = try DiskFixture()
        let cache = try await fixture.cache()
        for index in 0..<40 {
            try await cache.store(testBytes(100), forKey: "\(index)")
            fixture.clock.advance(by: .seconds(1))
        }
        fixture.files.arm(.init(.write, errorNumber: ENOSPC))
        try await cache.store(testBytes(100), forKey: "new")
        #expect(try await cache.contains("new"))
        #expect(try await !cache.contains("0"))
        #expect(cache.statistics.evictionCount > 0)
        #expect(cache.statistics.writeFailureCount == 0)
    }

    @Test func `a disk that stays full is a typed error, and the earlier entry stays`() async throws {
        let fixture = try DiskFixture()
        let cache = try await fixture.cache()
        try await cache.store(testBytes(100, seed: 1), forKey: "k")
        for number in [ENOSPC, EDQUOT] {
            fixture.files.arm(.init(.write, errorNumber: number, count: .max))
            await expectCode(.diskFull) { try await cache.store(testBytes(100, seed: 2), forKey: "k") }
            fixture.files.arm(nil)
        }
        #expect(try await cache.blob(forKey: "k")?.data == testBytes(100, seed: 1))
        #expect(cache.statistics.writeFailureCount == 2)
        #expect(try fixture.temporaryFiles().isEmpty)
    }

    @Test func `a read-only directory serves hits and throws on writes`() async throws {
        let fixture = try DiskFixture()
        let first = try await fixture.cache()
        try await first.store(testBytes(100), forKey: "k")
        try await first.close()
        fixture.files.refuseWrites(with: EROFS)
        let cache = try await fixture.cache(DiskSettings(countLimit: 3))
        #expect(try await cache.blob(forKey: "k")?.data == testBytes(100))
        #expect(try await cache.usage().entryCount == 1)
        await expectCode(.readOnly) { try await cache.store(Data(), forKey: "new") }
        await expectCode(.readOnly) { try await cache.removeBlob(forKey: "k") }
        try await cache.close()
    }

    @Test func `a directory that cannot be created fails opening, or else the first store`() async throws {
        let fixture = try DiskFixture()
        try Data([1]).write(to: URL(filePath: fixture.scratch.path + "/cache"))
        await expectCode(.obstructed) { _ = try await fixture.cache() }
        let cache = try DiskCache(fixture.configuration())
        #expect(try await cache.blob(forKey: "k") == nil)
        await expectCode(.obstructed) { try await cache.store(Data(), forKey: "k") }
    }

    @Test func `a directory that was removed is created again`() async throws {
        let fixture = try DiskFixture()
        let cache = try await fixture.cache()
        try await cache.store(testBytes(10), forKey: "k")
        try FileManager.default.removeItem(atPath: fixture.scratch.path + "/cache")
        #expect(try await cache.blob(forKey: "k") == nil)
        try await cache.store(testBytes(20), forKey: "k")
        #expect(try await cache.blob(forKey: "k")?.data == testBytes(20))
        try FileManager.default.removeItem(atPath: fixture.scratch.path + "/cache/default/v1/tmp")
        try await cache.store(testBytes(30), forKey: "l")
        #expect(try await cache.blob(forKey: "l")?.data == testBytes(30))
    }

    @Test func `a file system without locks is supported`() async throws {
        let fixture = try DiskFixture()
        fixture.files.arm(.init(.tryLock, errorNumber: ENOLCK, count: .max))
        let cache = try await fixture.cache()
        try await cache.store(testBytes(10), forKey: "k")
        let other = try await fixture.cache(nil)
        #expect(try await other.blob(forKey: "k") != nil)
        #expect(other.statistics.maintenanceFailureCount == 0)
    }

    @Test func `an error states problem and remedy in one line`() async throws {
        let fixture = try DiskFixture()
        let cache = try await fixture.cache()
        fixture.files.arm(.init(.open, errorNumber: EACCES))
        do {
            try await cache.store(Data(), forKey: "k")
            Issue.record("nothing was thrown")
        } catch {
            #expect(error.code == .permissionDenied)
            #expect(error.errorNumber == EACCES)
            #expect(!error.isRetryable)
            #expect(error.description.hasPrefix("permissionDenied: open failed on \(fixture.scratch.path)"))
            #expect(error.description.hasSuffix("give this user access or choose another cache folder"))
            #expect(!error.description.contains("\n"))
        }
    }
}
