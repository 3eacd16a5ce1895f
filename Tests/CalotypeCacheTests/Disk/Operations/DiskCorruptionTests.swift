import CalotypeCache
import CalotypeTesting
import FoundationEssentials
import Glibc
import TestSupport
import Testing

@Suite(
    .blocking,
    .skipped(under: .address, .thread, because: "damages thousands of files one after the other")
) struct DiskCorruptionTests {
    private let key = "https://example.org/a.png"

    private func makeEntry(_ fixture: DiskFixture) async throws -> (DiskCache, URL, Data) {
        let cache = try await fixture.cache()
        let options = BlobOptions(metadata: Data([1, 2, 3]), expiry: .afterWrite(.seconds(9)))
        try await cache.store(testBytes(40), forKey: key, options: options)
        let file = URL(filePath: cache.path(forKey: key))
        return (cache, file, try Data(contentsOf: file))
    }

    /// Expects a counted miss that removes the file, and that storing works again.
    private func expectMiss(
        _ cache: DiskCache,
        _ file: URL,
        _ comment: Comment,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let damagedCount = cache.statistics.damagedCount
        let blob = try await cache.blob(forKey: key)
        #expect(blob == nil, comment, sourceLocation: sourceLocation)
        #expect(cache.statistics.damagedCount == damagedCount + 1, comment, sourceLocation: sourceLocation)
        let isThere = FileManager.default.fileExists(atPath: file.path)
        #expect(!isThere, comment, sourceLocation: sourceLocation)
    }

    @Test func `every flipped byte is a miss, counted, and removed`() async throws {
        let fixture = try DiskFixture()
        let (cache, file, bytes) = try await makeEntry(fixture)
        for index in bytes.indices {
            for mask in [UInt8(1), 0x80] {
                var damaged = bytes
                damaged[index] ^= mask
                try damaged.write(to: file)
                try await expectMiss(cache, file, "byte \(index) changed by \(mask)")
            }
        }
        try bytes.write(to: file)
        #expect(try await cache.blob(forKey: key)?.data == testBytes(40))
    }

    @Test func `every wrong length is a miss`() async throws {
        let fixture = try DiskFixture()
        let (cache, file, bytes) = try await makeEntry(fixture)
        for count in 0..<bytes.count {
            try bytes.prefix(count).write(to: file)
            try await expectMiss(cache, file, "cut to \(count)")
            try bytes.suffix(count).write(to: file)
            try await expectMiss(cache, file, "the last \(count)")
        }
        try (bytes + [0]).write(to: file)
        try await expectMiss(cache, file, "a byte too many")
        try (Data([0]) + bytes).write(to: file)
        try await expectMiss(cache, file, "a byte too many in front")
        try (bytes + bytes).write(to: file)
        try await expectMiss(cache, file, "twice")
    }

    @Test func `the file of another key at the path is a miss`() async throws {
        let fixture = try DiskFixture()
        let (cache, file, _) = try await makeEntry(fixture)
        try await cache.store(testBytes(10), forKey: "other.png")
        try Data(contentsOf: URL(filePath: cache.path(forKey: "other.png"))).write(to: file)
        #expect(try await !cache.contains(key))
        try await expectMiss(cache, file, "another key")
        #expect(try await cache.blob(forKey: "other.png") != nil)
    }

    @Test func `a link, a pipe or a folder at the path is a miss without harm`() async throws {
        let fixture = try DiskFixture()
        let (cache, file, bytes) = try await makeEntry(fixture)
        let outside = URL(filePath: fixture.scratch.path + "/outside")
        try bytes.write(to: outside)
        try FileManager.default.removeItem(at: file)
        try FileManager.default.createSymbolicLink(at: file, withDestinationURL: outside)
        try await expectMiss(cache, file, "a link to a valid entry")
        #expect(try Data(contentsOf: outside) == bytes)
        #expect(mkfifo(file.path, 0o600) == 0)
        try await expectMiss(cache, file, "a pipe")
        try FileManager.default.createDirectory(at: file, withIntermediateDirectories: false)
        try await expectMiss(cache, file, "an empty folder")
        try FileManager.default.createDirectory(
            at: file.appending(path: "inner"),
            withIntermediateDirectories: true
        )
        #expect(try await cache.blob(forKey: key) == nil, "a folder with something in it")
        await expectCode(.obstructed) { try await cache.store(testBytes(1), forKey: key) }
        #expect(FileManager.default.fileExists(atPath: file.path), "foreign files are not removed")
        #expect(try fixture.temporaryFiles().isEmpty)
    }

    @Test func `an empty folder at the path does not prevent a store`() async throws {
        let fixture = try DiskFixture()
        let (cache, file, _) = try await makeEntry(fixture)
        try FileManager.default.removeItem(at: file)
        try FileManager.default.createDirectory(at: file, withIntermediateDirectories: false)
        try await cache.store(testBytes(7), forKey: key)
        #expect(try await cache.blob(forKey: key)?.data == testBytes(7))
    }

    @Test func `garbage in the tree is neither counted nor touched`() async throws {
        let fixture = try DiskFixture()
        let (cache, file, _) = try await makeEntry(fixture)
        let base = file.deletingLastPathComponent().deletingLastPathComponent()
        let garbage = [
            "zz/file", "README", "aa/short", "aa/sub/deep/file", "aa/0000000000000000000000000000000g",
        ]
        for path in garbage {
            let url = base.appending(path: path)
            try FileManager.default.createDirectory(
                at: url.deletingLastPathComponent(),
                withIntermediateDirectories: true
            )
            try Data([1, 2]).write(to: url)
        }
        try await cache.close()
        let again = try await fixture.cache(nil)
        #expect(try await again.usage().entryCount == 1)
        #expect(try await again.verify(removesCorrupt: true).checkedCount == 1)
        try await again.removeAll()
        for path in garbage {
            #expect(FileManager.default.fileExists(atPath: base.appending(path: path).path))
        }
    }

    @Test func `verifying reports damaged entries and removes them on request`() async throws {
        let fixture = try DiskFixture()
        let cache = try await fixture.cache()
        for index in 0..<30 { try await cache.store(testBytes(100), forKey: "\(index)") }
        let victims = [3, 17].map { cache.path(forKey: "\($0)") }
        for path in victims {
            var bytes = try Data(contentsOf: URL(filePath: path))
            bytes[50] ^= 4
            try bytes.write(to: URL(filePath: path))
        }
        // Intact, but under the name of another key.
        let moved = EntryName(key: "elsewhere")
        let folder = fixture.scratch.path + "/cache/default/v1/\(moved.folderName)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try FileManager.default.copyItem(
            atPath: cache.path(forKey: "5"),
            toPath: "\(folder)/\(moved.fileName)"
        )

        var lastProgress: DiskProgress?
        let report = try await cache.verify { lastProgress = $0 }
        #expect(report.checkedCount == 31)
        #expect(report.corruptCount == 3)
        #expect(report.repairedCount == 0)
        #expect(Set(report.failures.map(\.reason)) == ["payloadChecksum", "wrongKey"])
        #expect(Set(report.failures.map(\.path)).isSuperset(of: victims))
        #expect(lastProgress == DiskProgress(finishedCount: 31, totalCount: 30))
        #expect(try await cache.verify(removesCorrupt: true).repairedCount == 3)
        let after = try await cache.verify()
        #expect(after.checkedCount == 28)
        #expect(after.corruptCount == 0)
        #expect(try fixture.entryFiles().count == 28)
        #expect(try await cache.usage().byteCount == fixture.byteCount(of: fixture.entryFiles()))
    }
}
