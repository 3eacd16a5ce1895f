import CalotypeCache
import CalotypeCore
import CalotypeTesting
import FoundationEssentials
import Glibc
import TestMaterial
import TestSupport
import Testing

/// Inspection of all entries when one file or folder is unreadable.
@Suite(.blocking) struct DiskInspectionTests {
    private let fixture: DiskFixture
    private let cache: DiskCache

    init() async throws {
        fixture = try DiskFixture()
        cache = try await fixture.cache()
        for index in 0..<10 {
            let expiry: Expiry = index < 5 ? .afterWrite(.seconds(1)) : .never
            try await cache.store(testBytes(10), forKey: "\(index)", options: BlobOptions(expiry: expiry))
        }
        _ = try await cache.usage()
        fixture.clock.advance(by: .seconds(2))
    }

    /// Makes the next entry unreadable, or the folder of the first entry unlistable.
    private func breakNext(_ call: FaultyFileSystem.Call) throws {
        // Other folders are listed before the folder of the first entry.
        let first = try #require((0..<10).map { EntryName(key: "\($0)").folderName }.min())
        let skipping = call == .list ? Int(first, radix: 16) ?? 0 : 0
        fixture.files.arm(.init(call, skipping: skipping, errorNumber: EIO))
    }

    @Test(arguments: [FaultyFileSystem.Call.open, .list, .read])
    func `verifying continues past unreadable entries, and reports them`(call: FaultyFileSystem.Call)
        async throws
    {
        let damaged = try #require(try fixture.entryFiles().last)
        let file = URL(filePath: fixture.scratch.path + "/" + damaged)
        try testBytes(200).write(to: file)
        try breakNext(call)
        let report = try await cache.verify()
        #expect(report.checkedCount == 9)
        #expect(report.corruptCount == 1)
        #expect(report.unreadableCount == 1)
        #expect(report.unreadable.map(\.code) == [.inputOutput])
        #expect(report.unreadable.first?.path.hasPrefix(fixture.scratch.path) == true)
    }

    @Test(arguments: [FaultyFileSystem.Call.open, .list])
    func `listing returns the readable entries, and reports the others`(call: FaultyFileSystem.Call)
        async throws
    {
        try breakNext(call)
        var unreadable: [DiskCacheError] = []
        let entries = try await cache.entries { unreadable.append($0) }
        #expect(entries.count == 9)
        #expect(unreadable.map(\.code) == [.inputOutput])
        try breakNext(call)
        #expect(try await cache.entries().count == 9)
        #expect(try await cache.entries().count == 10)
    }

    @Test(arguments: [FaultyFileSystem.Call.open, .list])
    func `removing expired entries skips unreadable ones, and reports them`(
        call: FaultyFileSystem.Call
    ) async throws {
        try breakNext(call)
        await expectCode(.inputOutput) { try await cache.removeExpired() }
        #expect((5...6).contains(try fixture.entryFiles().count))
        try breakNext(call)
        var unreadable: [DiskCacheError] = []
        _ = try await cache.removeExpired { unreadable.append($0) }
        #expect(unreadable.count == 1)
        try await cache.removeExpired()
        #expect(try fixture.entryFiles().count == 5)
    }

    @Test(arguments: [FaultyFileSystem.Call.open, .list, .removeFile])
    func `a removal by keys removes all that it can, then throws for the rest`(
        call: FaultyFileSystem.Call
    ) async throws {
        try breakNext(call)
        await expectCode(.inputOutput) { try await cache.removeBlobs { _ in true } }
        #expect(try fixture.entryFiles().count == 1)
        #expect(try await cache.removeBlobs { _ in true } == 1)
    }
}
