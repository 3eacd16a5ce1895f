import CalotypeCore
import CalotypeSupport
import CalotypeTesting
import FoundationEssentials
import Glibc
import TestMaterial
import TestSupport
import Testing

@testable import CalotypeCache

@Suite(.blocking) struct DiskUnlistableTests {
    /// A directory with entries, one of whose folders cannot be listed.
    private func fixture(entryCount: Int) async throws -> (DiskFixture, folder: String) {
        let fixture = try DiskFixture()
        let cache = try await fixture.cache(DiskSettings(sizeLimit: 50_000, expiry: .never))
        for index in 0..<entryCount { try await cache.store(testBytes(400), forKey: "\(index)") }
        try await cache.close()
        let folder = "/v1/" + EntryName(key: "0").folderName
        fixture.files.refuse(.list, with: EACCES) { $0.hasSuffix(folder) }
        return (fixture, folder)
    }

    @Test func `an unlistable folder does not disable the limits, across processes`() async throws {
        let (fixture, _) = try await fixture(entryCount: 50)
        for run in 0..<4 {
            let cache = try await fixture.cache(nil)
            for index in 0..<60 { try await cache.store(testBytes(400), forKey: "\(run), \(index)") }
            try await cache.close()
            #expect(try fixture.byteCount(of: fixture.entryFiles()) <= 52_000, "run \(run)")
        }
    }

    @Test func `an unlistable folder makes the usage partial`() async throws {
        let (fixture, _) = try await fixture(entryCount: 50)
        let cache = try await fixture.cache(nil)
        let usage = try await cache.usage()
        #expect(usage.isPartial)
        #expect((40..<50).contains(usage.entryCount))
        #expect(cache.statistics.maintenanceFailureCount >= 1)
        #expect(try await cache.trim(toSize: 0).entryCount == usage.entryCount)
    }

    @Test func `an unlistable folder is counted once it can be listed, after some writes`() async throws {
        let (fixture, _) = try await fixture(entryCount: 20)
        let cache = try await fixture.cache(nil)
        #expect(try await cache.usage().isPartial)
        fixture.files.refuse(.list, with: EACCES) { _ in false }
        for _ in 0..<4 { try await cache.store(testBytes(400), forKey: "more") }
        try await cache.flush()
        // After the thread that retries the listing.
        await cache.maintenancePool.run {}
        let usage = try await cache.usage()
        #expect(
            usage == StoreUsage(entryCount: 21, byteCount: try fixture.byteCount(of: fixture.entryFiles()))
        )
    }

    @Test func `without listable folders a store throws, and succeeds when they can be listed`() async throws
    {
        let (fixture, _) = try await fixture(entryCount: 20)
        fixture.files.refuse(.list, with: EMFILE) { _ in true }
        let cache = try await fixture.cache(nil)
        #expect(try await cache.usage().isPartial)
        #expect(try await cache.blob(forKey: "1") != nil)
        await expectCode(.tooManyOpenFiles) { try await cache.store(testBytes(400), forKey: "new") }
        fixture.files.refuse(.list, with: EMFILE) { _ in false }
        var attemptCount = 0
        while attemptCount < 10, try await !cache.contains("new") {
            attemptCount += 1
            await cache.maintenancePool.run {}
            do {
                try await cache.store(testBytes(400), forKey: "new")
            } catch {
                #expect(error.code == .tooManyOpenFiles)
            }
        }
        #expect(try await cache.contains("new"))
    }

    @Test func `a failing folder is retried at growing intervals of writes`() throws {
        var walk = DirectoryWalk()
        walk.begin()
        while let turn = walk.nextTurn() {
            _ = walk.end(turn, turn.folder == 7 ? FileError("list", errorNumber: EIO) : nil)
        }
        #expect(walk.isCounted)
        #expect(walk.unknownCount == 1)
        var delays: [Int] = []
        for _ in 0..<5 {
            var writeCount = 0
            while !walk.isTurnDue {
                walk.countWrite()
                writeCount += 1
            }
            delays.append(writeCount)
            let next = walk.nextTurn()
            let turn = try #require(next)
            #expect(turn.folder == 7)
            #expect(!walk.isTurnDue, "not twice at once")
            _ = walk.end(turn, FileError("list", errorNumber: EIO))
        }
        #expect(delays == [2, 4, 8, 16, 32])
        while !walk.isTurnDue { walk.countWrite() }
        let last = walk.nextTurn()
        _ = walk.end(try #require(last), nil)
        #expect(walk.problem == nil)
        #expect(walk.unknownCount == 0)
    }
}
