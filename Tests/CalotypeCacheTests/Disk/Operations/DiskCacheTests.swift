import CalotypeCache
import CalotypeCore
import CalotypeTesting
import FoundationEssentials
import TestMaterial
import TestSupport
import Testing

@Suite(.blocking) struct DiskCacheTests {
    @Test func `a stored blob comes back with its metadata and dates`() async throws {
        let fixture = try DiskFixture()
        let cache = try await fixture.cache()
        let data = testBytes(20_000)
        let options = BlobOptions(metadata: Data([9, 8, 7]), expiry: .afterWrite(.seconds(60)))
        try await cache.store(data, forKey: "https://a.example/x.jpg", options: options)
        let now = fixture.clock.now()
        let blob = try await cache.blob(forKey: "https://a.example/x.jpg")
        #expect(
            blob
                == Blob(data: data, metadata: Data([9, 8, 7]), writtenAt: now, expiresAt: now + .seconds(60))
        )
        #expect(try await cache.contains("https://a.example/x.jpg"))
        #expect(try await cache.blob(forKey: "https://a.example/y.jpg") == nil)
        #expect(try await !cache.contains("https://a.example/y.jpg"))
        #expect(cache.statistics.hitCount == 1)
        #expect(cache.statistics.missCount == 1)
        #expect(cache.statistics.writeCount == 1)
    }

    @Test func `the file begins with the payload and is at the returned path`() async throws {
        let fixture = try DiskFixture()
        let cache = try await fixture.cache()
        let data = testBytes(100)
        try await cache.store(data, forKey: "a.png")
        let path = cache.path(forKey: "a.png")
        #expect(path.hasPrefix(fixture.scratch.path + "/cache/default/v1/"))
        #expect(path.hasSuffix(".png"))
        let file = try Data(contentsOf: URL(filePath: path))
        #expect(file.prefix(100) == data)
        #expect(file.count == 100 + "a.png".utf8.count + 64)
        #expect(file.suffix(8) == Data("CALOTYP1".utf8))
    }

    @Test func `empty bytes and empty keys are entries like any other`() async throws {
        let fixture = try DiskFixture()
        let cache = try await fixture.cache()
        try await cache.store(Data(), forKey: "")
        #expect(try await cache.blob(forKey: "")?.data == Data())
    }

    @Test func `a slice is stored as its own bytes`() async throws {
        let fixture = try DiskFixture()
        let cache = try await fixture.cache()
        try await cache.store(
            testBytes(100).dropFirst(10),
            forKey: "k",
            options: BlobOptions(metadata: testBytes(9).dropFirst(3))
        )
        let blob = try await cache.blob(forKey: "k")
        #expect(blob?.data == testBytes(100).dropFirst(10))
        #expect(blob?.metadata == testBytes(9).dropFirst(3))
    }

    @Test func `another process finds a stored entry`() async throws {
        let fixture = try DiskFixture()
        let first = try await fixture.cache()
        try await first.store(testBytes(10), forKey: "k")
        let second = try await fixture.cache(nil)
        #expect(try await second.blob(forKey: "k")?.data == testBytes(10))
    }

    @Test func `a later store replaces an earlier one`() async throws {
        let fixture = try DiskFixture()
        let cache = try await fixture.cache()
        try await cache.store(testBytes(10), forKey: "k")
        try await cache.store(testBytes(20, seed: 2), forKey: "k")
        #expect(try await cache.blob(forKey: "k")?.data == testBytes(20, seed: 2))
        #expect(try await cache.usage() == StoreUsage(entryCount: 1, byteCount: 20 + 1 + 64))
        #expect(try fixture.entryFiles().count == 1)
    }

    @Test func `a removed key is a miss`() async throws {
        let fixture = try DiskFixture()
        let cache = try await fixture.cache()
        try await cache.store(testBytes(10), forKey: "k")
        #expect(try await cache.removeBlob(forKey: "k"))
        #expect(try await !cache.removeBlob(forKey: "k"))
        #expect(try await cache.blob(forKey: "k") == nil)
        #expect(try await cache.usage() == StoreUsage())
    }

    @Test func `removing everything returns the count and spares foreign files`() async throws {
        let fixture = try DiskFixture()
        let cache = try await fixture.cache()
        for index in 0..<20 { try await cache.store(testBytes(100), forKey: "key \(index)") }
        let foreign = URL(filePath: cache.path(forKey: "key 1")).deletingLastPathComponent().appending(
            path: "mine.txt"
        )
        try Data([1]).write(to: foreign)
        let before = try await cache.usage()
        #expect(try await cache.removeAll() == before)
        #expect(before.entryCount == 20)
        #expect(try await cache.usage() == StoreUsage())
        #expect(try fixture.entryFiles().isEmpty)
        #expect(try Data(contentsOf: foreign) == Data([1]))
    }

    @Test func `the usage equals that of the files on disk`() async throws {
        let fixture = try DiskFixture()
        let cache = try await fixture.cache()
        for index in 0..<50 { try await cache.store(testBytes(index * 7), forKey: "key \(index % 40)") }
        let files = try fixture.entryFiles()
        let expected = StoreUsage(entryCount: 40, byteCount: try fixture.byteCount(of: files))
        #expect(try await cache.usage() == expected)
        let other = try await fixture.cache(nil)
        #expect(try await other.usage() == expected)
    }

    @Test func `folders and files are accessible to their owner alone`() async throws {
        let fixture = try DiskFixture()
        let cache = try await fixture.cache()
        try await cache.store(testBytes(10), forKey: "k")
        let root = fixture.scratch.path + "/cache"
        let file = cache.path(forKey: "k")
        for folder in [root, root + "/default", root + "/default/v1", String(file.dropLast(33))] {
            let mode = try FileManager.default.attributesOfItem(atPath: folder)[.posixPermissions] as? Int
            #expect(mode == 0o700, "\(folder)")
        }
        #expect(try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int == 0o600)
    }

    @Test(arguments: [nil, DiskSettings()])
    func `the root is marked for backup programs, with settings and without`(settings: DiskSettings?)
        async throws
    {
        let fixture = try DiskFixture()
        try await fixture.cache(settings).store(testBytes(1), forKey: "k")
        let tag = try String(contentsOfFile: fixture.scratch.path + "/cache/CACHEDIR.TAG", encoding: .utf8)
        #expect(tag.hasPrefix("Signature: 8a477f597d28d172789f06886806bc55\n"))
    }

    @Test func `a closed cache rejects every operation`() async throws {
        let fixture = try DiskFixture()
        let cache = try await fixture.cache()
        try await cache.store(testBytes(10), forKey: "k")
        try await cache.close()
        await #expect(throws: DiskCacheError.self) { try await cache.blob(forKey: "k") }
        await #expect(throws: DiskCacheError.self) { try await cache.store(Data(), forKey: "k") }
        await #expect(throws: DiskCacheError.self) { try await cache.usage() }
        await #expect(throws: DiskCacheError.self) { try await cache.close() }
        #expect(fixture.files.openFileCount == 0)
        #expect(try fixture.scratch.files().allSatisfy { !$0.contains("/tmp/") })
    }

    @Test func `keys and metadata have limits`() async throws {
        let fixture = try DiskFixture()
        let cache = try await fixture.cache()
        let longest = String(repeating: "k", count: 65_536)
        try await cache.store(Data([1]), forKey: longest, options: BlobOptions(metadata: testBytes(4096)))
        #expect(try await cache.blob(forKey: longest)?.metadata == testBytes(4096))
        #expect(try await cache.contains(longest))
        await expectCode(.keyTooLong) { try await cache.store(Data(), forKey: longest + "k") }
        await expectCode(.metadataTooLarge) {
            try await cache.store(Data(), forKey: "k", options: BlobOptions(metadata: testBytes(4097)))
        }
    }

    @Test(arguments: ["", ".", "..", ".hidden", "a/b", "a\0b"])
    func `a namespace is one plain folder name`(namespace: String) {
        #expect(throws: DiskCacheError.self) { try DiskCache(.init(root: "/nowhere", namespace: namespace)) }
    }

    @Test func `the root follows the XDG rule`() {
        #expect(DirectoryLayout.defaultRoot { ["XDG_CACHE_HOME": "/x", "HOME": "/h"][$0] } == "/x/calotype")
        #expect(
            DirectoryLayout.defaultRoot { ["XDG_CACHE_HOME": "x", "HOME": "/h"][$0] } == "/h/.cache/calotype"
        )
        #expect(DirectoryLayout.defaultRoot { ["HOME": "/h"][$0] } == "/h/.cache/calotype")
    }
}

/// Runs a call that must fail with the given code.
func expectCode(
    _ code: DiskCacheError.Code,
    sourceLocation: SourceLocation = #_sourceLocation,
    _ work: () async throws -> Void
) async {
    do {
        try await work()
        Issue.record("nothing was thrown", sourceLocation: sourceLocation)
    } catch let error as DiskCacheError {
        #expect(error.code == code, sourceLocation: sourceLocation)
    } catch {
        Issue.record(error, sourceLocation: sourceLocation)
    }
}
