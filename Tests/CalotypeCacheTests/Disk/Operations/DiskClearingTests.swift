import CalotypeCore
import CalotypeTesting
import FoundationEssentials
import Glibc
import TestMaterial
import TestSupport
import Testing

@testable import CalotypeCache

@Suite(.blocking) struct DiskClearingTests {
    private func cache(_ fixture: DiskFixture, entryCount: Int) async throws -> DiskCache {
        let cache = try await fixture.cache()
        for index in 0..<entryCount { try await cache.store(testBytes(10), forKey: "\(index)") }
        _ = try await cache.usage()
        return cache
    }

    @Test func `a store issued after removing everything does not wait for the file removals`() async throws {
        let fixture = try DiskFixture()
        let cache = try await cache(fixture, entryCount: 50)
        let (reached, released) = (AsyncGate(), BlockingGate())
        fixture.files.hold(.removeFile, reached: reached, until: released)
        let clear = Task.immediate { try await cache.removeAll() }
        await reached.wait()
        try await cache.store(testBytes(20), forKey: "new")
        #expect(try await cache.blob(forKey: "new")?.data == testBytes(20))
        released.open()
        #expect(try await clear.value.entryCount == 50)
        #expect(try fixture.entryFiles().count == 1)
        #expect(try await cache.usage().entryCount == 1)
        #expect(try fixture.temporaryFiles().isEmpty)
    }

    @Test func `a read issued after removing everything is a miss`() async throws {
        let fixture = try DiskFixture()
        let cache = try await cache(fixture, entryCount: 20)
        let (reached, released) = (AsyncGate(), BlockingGate())
        fixture.files.hold(.rename, reached: reached, until: released)
        let held = Task.immediate { try await cache.store(testBytes(10), forKey: "held") }
        await reached.wait()
        let clear = Task.immediate { try await cache.removeAll() }
        for index in 0..<20 {
            #expect(try await cache.blob(forKey: "\(index)") == nil)
            #expect(try await !cache.contains("\(index)"))
        }
        #expect(try await cache.blob(forKey: "held") == nil)
        let after = Task.immediate { try await cache.store(testBytes(7), forKey: "3") }
        #expect(try await cache.blob(forKey: "3")?.data == testBytes(7))
        released.open()
        try await held.value
        #expect(try await clear.value.entryCount == 21)
        try await after.value
        #expect(try await cache.blob(forKey: "3")?.data == testBytes(7))
        #expect(try await cache.blob(forKey: "4") == nil)
    }

    @Test func `a read issued after a renewal sees its metadata`() async throws {
        let fixture = try DiskFixture()
        let cache = try await cache(fixture, entryCount: 1)
        let (reached, released) = (AsyncGate(), BlockingGate())
        fixture.files.hold(.rename, reached: reached, until: released)
        let renewal = Task.immediate {
            try await cache.renewBlob(forKey: "0", options: BlobOptions(metadata: Data([7])))
        }
        await reached.wait()
        let read = Task.immediate { try await cache.blob(forKey: "0")?.metadata }
        released.open()
        #expect(try await renewal.value)
        #expect(try await read.value == Data([7]))
    }

    @Test func `removing everything spares foreign files`() async throws {
        let fixture = try DiskFixture()
        let cache = try await cache(fixture, entryCount: 30)
        let folder = cache.layout.folder(of: EntryName(key: "0"))
        try Data([1]).write(to: URL(filePath: folder + "/notes.txt"))
        let inner = folder + "/notes"
        try FileManager.default.createDirectory(atPath: inner, withIntermediateDirectories: false)
        #expect(try await cache.removeAll().entryCount == 30)
        #expect(try Data(contentsOf: URL(filePath: folder + "/notes.txt")) == Data([1]))
        #expect(FileManager.default.fileExists(atPath: inner))
        #expect(try fixture.entryFiles().isEmpty)
    }

    @Test func `folders that cannot be renamed are emptied in place`() async throws {
        let fixture = try DiskFixture()
        let cache = try await cache(fixture, entryCount: 30)
        fixture.files.refuse(.rename, with: EXDEV) { $0.contains("/removed") }
        #expect(try await cache.removeAll() == StoreUsage(entryCount: 30, byteCount: 30 * 75 + 20))
        #expect(try fixture.entryFiles().isEmpty)
        #expect(try await cache.usage() == StoreUsage())
    }

    @Test func `removing everything discards the unmerged findings of a walk`() async throws {
        let fixture = try DiskFixture()
        let first = try await cache(fixture, entryCount: 40)
        try await first.close()
        let folder = EntryName(key: "0").folderName
        let (reached, released) = (AsyncGate(), BlockingGate())
        // Only `tmp` is listed before the first folder of entries.
        let skipping = 1 + (Int(folder, radix: 16) ?? 0)
        fixture.files.hold(.list, skipping: skipping, reached: reached, until: released)
        let cache = try DiskCache(fixture.configuration())
        await reached.wait()
        let clear = Task.immediate { try await cache.removeAll() }
        released.open()
        _ = try await clear.value
        #expect(try await cache.usage() == StoreUsage())
        #expect(try fixture.entryFiles().isEmpty)
    }
}
