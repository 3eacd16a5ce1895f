import CalotypeCache
import CalotypeCore
import CalotypeTesting
import FoundationEssentials
import Glibc
import TestMaterial
import TestSupport
import Testing

/// Inline reads on the calling thread; see decision 0092.
@Suite(.blocking) struct DiskCachedReadTests {
    /// A cache with one thread that has served a hit, so that it reads cached files inline.
    private func cache(_ fixture: DiskFixture) async throws -> DiskCache {
        var configuration = fixture.configuration()
        configuration.maxConcurrency = 1
        let cache = try await DiskCache.open(configuration)
        try await cache.store(testBytes(100), forKey: "k")
        _ = try await cache.usage()
        #expect(try await cache.blob(forKey: "k") != nil)
        return cache
    }

    /// Runs `body` while the only thread of the cache is held.
    private func whileThreadIsHeld<Value>(
        _ fixture: DiskFixture,
        _ cache: DiskCache,
        _ body: () async throws -> Value
    ) async throws -> Value {
        let (reached, released) = (AsyncGate(), BlockingGate())
        fixture.files.hold(.rename, reached: reached, until: released)
        let store = Task.immediate { try await cache.store(testBytes(10), forKey: "other") }
        await reached.wait()
        defer { released.open() }
        let value = try await body()
        released.open()
        try await store.value
        return value
    }

    /// Reads while the only thread of the cache is held; also returns whether the read waited for it.
    private func read(
        _ key: String,
        _ fixture: DiskFixture,
        _ cache: DiskCache
    ) async throws -> (blob: Blob?, hasWaited: Bool) {
        let finished = AsyncGate()
        let (read, hasWaited) = try await whileThreadIsHeld(fixture, cache) {
            // Runs until its first suspension.
            let read = Task.immediate {
                defer { finished.open() }
                return try await cache.blob(forKey: key)
            }
            return (read, !finished.isOpen)
        }
        return (try await read.value, hasWaited)
    }

    @Test func `a warm hit uses no thread of the cache`() async throws {
        let fixture = try DiskFixture()
        let cache = try await cache(fixture)
        let hitCount = cache.statistics.hitCount
        let (blob, hasWaited) = try await read("k", fixture, cache)
        #expect(blob?.data == testBytes(100))
        #expect(!hasWaited)
        #expect(cache.statistics.hitCount == hitCount + 1)
    }

    @Test func `a warm miss uses no thread of the cache`() async throws {
        let fixture = try DiskFixture()
        let cache = try await cache(fixture)
        let (blob, hasWaited) = try await read("absent", fixture, cache)
        #expect(blob == nil)
        #expect(!hasWaited)
        #expect(cache.statistics.missCount == 1)
    }

    @Test func `an inline read sees writes that are still in flight`() async throws {
        let fixture = try DiskFixture()
        let cache = try await cache(fixture)
        let (written, removed, tasks) = try await whileThreadIsHeld(fixture, cache) {
            let store = Task.immediate { try await cache.store(testBytes(7, seed: 2), forKey: "k") }
            let written = try await cache.blob(forKey: "k")
            let removal = Task.immediate { try await cache.removeBlob(forKey: "k") }
            return (written, try await cache.blob(forKey: "k"), (store, removal))
        }
        #expect(written?.data == testBytes(7, seed: 2))
        #expect(removed == nil)
        try await tasks.0.value
        #expect(try await tasks.1.value)
    }

    @Test(arguments: [FaultyFileSystem.Call.open, .read])
    func `a read that would block is passed to a thread`(call: FaultyFileSystem.Call) async throws {
        let fixture = try DiskFixture()
        let cache = try await cache(fixture)
        fixture.files.arm(.init(call, errorNumber: EAGAIN))
        #expect(try await cache.blob(forKey: "k")?.data == testBytes(100))
        let calls = fixture.files.calls
        let attempt: [FaultyFileSystem.Call] = call == .open ? [.open] : [.open, .status, .read, .close]
        #expect(calls == attempt + [.open, .status, .read, .close])
        // The next read tries inline again.
        let (blob, hasWaited) = try await read("k", fixture, cache)
        #expect(blob != nil)
        #expect(!hasWaited)
    }

    @Test(arguments: [FaultyFileSystem.Call.open, .read])
    func `a file system without cached reads is queried once`(call: FaultyFileSystem.Call) async throws {
        let fixture = try DiskFixture()
        let cache = try await cache(fixture)
        fixture.files.arm(.init(call, errorNumber: EOPNOTSUPP))
        #expect(try await cache.blob(forKey: "k") != nil)
        let (blob, hasWaited) = try await read("k", fixture, cache)
        #expect(blob != nil)
        #expect(hasWaited)
    }

    @Test func `a file that is only partly in memory does not count as damaged`() async throws {
        let fixture = try DiskFixture()
        let cache = try await cache(fixture)
        fixture.files.shortenCachedReads()
        #expect(try await cache.blob(forKey: "k")?.data == testBytes(100))
        #expect(cache.statistics.damagedCount == 0)
        let reader = EntryReader(fileSystem: fixture.files, layout: try fixture.configuration().layout())
        for isWhole in [false, true] {
            let error = #expect(throws: FileError.self) {
                let name = EntryName(key: "k")
                return try isWhole
                    ? reader.readCached(name, key: "k") : reader.readRecordCached(name, key: "k")
            }
            #expect(error?.errorNumber == EAGAIN)
        }
    }

    @Test func `a long entry is read on a thread`() async throws {
        let fixture = try DiskFixture()
        let cache = try await cache(fixture)
        try await cache.store(testBytes(300_000), forKey: "long")
        fixture.files.arm(nil)
        #expect(try await cache.blob(forKey: "long")?.data == testBytes(300_000))
        #expect(fixture.files.calls == [.open, .status, .close, .open, .status, .read, .close])
    }

    @Test func `a damaged entry found by an inline read is removed`() async throws {
        let fixture = try DiskFixture()
        let cache = try await cache(fixture)
        let file = URL(filePath: cache.path(forKey: "k"))
        var bytes = try Data(contentsOf: file)
        bytes[3] ^= 1
        try bytes.write(to: file)
        #expect(try await cache.blob(forKey: "k") == nil)
        #expect(cache.statistics.damagedCount == 1)
        #expect(!FileManager.default.fileExists(atPath: file.path))
    }

    @Test func `a closed cache throws also for entries in memory`() async throws {
        let fixture = try DiskFixture()
        let cache = try await cache(fixture)
        try await cache.close()
        await #expect(throws: DiskCacheError.self) { try await cache.blob(forKey: "k") }
    }
}

/// The system calls that read only from the page cache.
@Suite(.blocking) struct CachedFileTests {
    @Test func `a file in memory is read whole, unless the system does not support it`() throws {
        let scratch = try ScratchFolder()
        let path = scratch.path + "/file"
        try testBytes(5_000).write(to: URL(filePath: path))
        let files = PosixFileSystem()
        var bytes = [UInt8](repeating: 0, count: 6_000)
        do {
            let file = try files.open(path, as: .cachedRead)
            let result = bytes.withUnsafeMutableBytes { buffer in
                Result { () throws(FileError) in try files.readCached(file, into: buffer, at: 1_000) }
            }
            try files.close(file)
            let count = try result.get()
            #expect(count == 4_000)
            #expect(Data(bytes.prefix(4_000)) == testBytes(5_000).dropFirst(1_000))
        } catch {
            // A read of uncached bytes may be refused.
            #expect([EOPNOTSUPP, EAGAIN].contains(error.errorNumber))
        }
    }

    @Test func `a symbolic link is not opened`() throws {
        let scratch = try ScratchFolder()
        try testBytes(10).write(to: URL(filePath: scratch.path + "/file"))
        try FileManager.default.createSymbolicLink(
            atPath: scratch.path + "/link",
            withDestinationPath: scratch.path + "/file"
        )
        #expect(throws: FileError.self) {
            try PosixFileSystem().open(scratch.path + "/link", as: .cachedRead)
        }
    }
}
