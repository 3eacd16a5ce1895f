import CalotypeSupport
import CalotypeTesting
import FoundationEssentials
import Glibc
import TestMaterial
import TestSupport
import Testing

@testable import CalotypeCache

@Suite(.blocking) struct WriterFolderTests {
    private let fixture: DiskFixture
    private let layout: DirectoryLayout

    init() throws {
        fixture = try DiskFixture()
        layout = DirectoryLayout(root: fixture.scratch.path + "/cache", namespace: "default")
    }

    /// Creates folders with the names `w1`, `w2` and so on.
    private func makeFolder() -> WriterFolder {
        let count = Guarded(0)
        return WriterFolder(fileSystem: fixture.files, layout: layout) {
            count.withLock { count in
                count += 1
                return "w\(count)"
            }
        }
    }

    private var folderNames: [String] {
        get throws {
            try FileManager.default.contentsOfDirectory(atPath: layout.temporary).sorted()
        }
    }

    private func expectClosed(_ work: () throws(FileError) -> Void) {
        do {
            try work()
            Issue.record("nothing was thrown")
        } catch {
            #expect(DiskCacheError(error, path: "").code == .closed)
        }
    }

    @Test func `a closed folder is never created again`() throws {
        let folder = makeFolder()
        let (path, file) = try folder.createFile()
        try fixture.files.close(file)
        try fixture.files.removeFile(path)
        try folder.close()
        expectClosed { () throws(FileError) in _ = try folder.createFile() }
        expectClosed { () throws(FileError) in _ = try folder.take(path, as: "1") }
        #expect(try folderNames == [])
        #expect(fixture.files.openFileCount == 0)
    }

    @Test func `a thread that creates the folder late leaves none behind after closing`() async throws {
        let folder = makeFolder()
        let (reached, released) = (AsyncGate(), BlockingGate())
        fixture.files.hold(.tryLock, reached: reached, until: released)
        let late = Task.detached { expectClosed { () throws(FileError) in _ = try folder.createFile() } }
        await reached.wait()
        try folder.close()
        released.open()
        await late.value
        #expect(try folderNames == [])
        #expect(fixture.files.openFileCount == 0)
    }

    @Test func `a thread whose folder is gone uses the one that another thread created`() async throws {
        let folder = makeFolder()
        _ = try folder.createFile()
        try FileManager.default.removeItem(atPath: layout.temporary)
        let (reached, released) = (AsyncGate(), BlockingGate())
        // It has failed to create the file, and checks whether the folder still exists.
        fixture.files.hold(.status, reached: reached, until: released)
        let late = Task.detached { try folder.createFile().path }
        await reached.wait()
        let path = try folder.createFile().path
        released.open()
        #expect(path.contains("/w2/"))
        #expect(try await late.value.contains("/w2/"))
        #expect(try folderNames == ["w2"])
        #expect(folder.name == "w2")
    }

    @Test(arguments: [FaultyFileSystem.Call.open, .status, .tryLock])
    func `a folder that cannot be locked is removed`(call: FaultyFileSystem.Call) throws {
        let folder = makeFolder()
        // The checks before the folder is created: the top, and each parent folder.
        try PosixFileSystem().makeFolder(fixture.scratch.path + "/cache")
        try PosixFileSystem().makeFolder(fixture.scratch.path + "/cache/default")
        try PosixFileSystem().makeFolder(layout.base)
        try PosixFileSystem().makeFolder(layout.temporary)
        try DirectoryTrust(fileSystem: fixture.files, layout: layout).check()
        let judgedCount = call == .status ? fixture.files.calls.count { $0 == .status } : 0
        fixture.files.arm(.init(call, skipping: judgedCount, errorNumber: EIO))
        for _ in 0..<3 {
            #expect(throws: FileError.self) { try folder.createFile() }
            fixture.files.arm(.init(call, skipping: judgedCount, errorNumber: EIO))
        }
        fixture.files.arm(nil)
        #expect(try folderNames == [])
        #expect(fixture.files.openFileCount == 0)
    }

    @Test func `creating a folder fails when all names are taken`() throws {
        try FileManager.default.createDirectory(
            atPath: layout.temporary + "/w0",
            withIntermediateDirectories: true
        )
        let folder = WriterFolder(fileSystem: fixture.files, layout: layout) { "w0" }
        #expect(throws: FileError("mkdir", path: layout.temporary, errorNumber: EAGAIN)) {
            try folder.createFile()
        }
    }

    @Test func `the root is tagged at the first write, with default settings too`() async throws {
        let cache = try await fixture.cache(nil)
        #expect(try fixture.scratch.files() == [])
        try await cache.store(testBytes(10), forKey: "k")
        let tag = try String(contentsOfFile: layout.cacheTag, encoding: .utf8)
        #expect(tag == DirectoryLayout.cacheTagText)
        #expect(try fixture.temporaryFiles() == [])
    }

    @Test func `a failure to write the tag does not fail the store`() async throws {
        try PosixFileSystem().makeFolder(fixture.scratch.path + "/cache")
        fixture.files.arm(.init(.rename, errorNumber: EACCES))
        let cache = try await fixture.cache(nil)
        try await cache.store(testBytes(10), forKey: "k")
        #expect(fixture.files.hasFailed)
        #expect(cache.statistics.maintenanceFailureCount == 1)
        #expect(try fixture.temporaryFiles() == [])
    }
}

@Suite(.blocking) struct EntryRemoverTests {
    @Test func `entries are evicted even if the folder of temporary files is gone`() async throws {
        let fixture = try DiskFixture()
        let cache = try await fixture.cache()
        for index in 0..<20 { try await cache.store(testBytes(10), forKey: "\(index)") }
        try FileManager.default.removeItem(atPath: fixture.scratch.path + "/cache/default/v1/tmp")
        #expect(try await cache.trim(toSize: 0).entryCount == 20)
        #expect(try fixture.entryFiles() == [])
        #expect(try await cache.usage().entryCount == 0)
        #expect(try fixture.temporaryFiles() == [])
    }

    @Test func `a removal returns the outcome for the entry`() async throws {
        let fixture = try DiskFixture()
        let cache = try await fixture.cache()
        try await cache.store(testBytes(10), forKey: "k")
        let layout = DirectoryLayout(root: fixture.scratch.path + "/cache", namespace: "default")
        let folder = WriterFolder(fileSystem: fixture.files, layout: layout)
        let remover = EntryRemover(fileSystem: fixture.files, layout: layout, folder: folder)
        let (name, path) = (EntryName(key: "k"), cache.path(forKey: "k"))
        let status = try fixture.files.status(at: path)
        let other = FileIdentity(inode: status.inode, writtenAt: .distantPast)
        #expect(try remover.remove(name, ifStill: other) == .replaced(status))
        #expect(try remover.remove(name, ifStill: status.identity) == .removed)
        #expect(try remover.remove(name, ifStill: status.identity) == .absent)
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test func `failing to set an entry aside is an error, not an absence`() async throws {
        let fixture = try DiskFixture()
        let cache = try await fixture.cache()
        try await cache.store(testBytes(10), forKey: "k")
        fixture.files.arm(.init(.rename, errorNumber: ENOENT, count: .max))
        #expect(try await cache.trim(toSize: 0).entryCount == 0)
        fixture.files.arm(nil)
        #expect(try await cache.usage().entryCount == 1)
        #expect(cache.statistics.maintenanceFailureCount == 1)
    }
}
