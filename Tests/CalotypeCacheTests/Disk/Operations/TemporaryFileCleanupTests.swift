import CalotypeTesting
import FoundationEssentials
import Glibc
import TestMaterial
import TestSupport
import Testing

@testable import CalotypeCache

@Suite(.blocking) struct TemporaryFileCleanupTests {
    private let fixture: DiskFixture
    private let layout: DirectoryLayout

    init() throws {
        fixture = try DiskFixture()
        layout = DirectoryLayout(root: fixture.scratch.path + "/cache", namespace: "default")
        try FileManager.default.createDirectory(
            atPath: layout.temporary,
            withIntermediateDirectories: true
        )
    }

    private func makeSweep() -> TemporaryFileCleanup {
        let folder = WriterFolder(fileSystem: fixture.files, layout: layout)
        let remover = EntryRemover(fileSystem: fixture.files, layout: layout, folder: folder)
        return TemporaryFileCleanup(fileSystem: fixture.files, layout: layout, remover: remover)
    }

    private func put(_ paths: String..., text: String = "x") throws {
        for path in paths {
            let url = URL(filePath: layout.temporary + "/" + path)
            let folder = url.deletingLastPathComponent().path
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            try Data(text.utf8).write(to: url)
        }
    }

    private func exists(_ path: String) -> Bool {
        FileManager.default.fileExists(atPath: layout.temporary + "/" + path)
    }

    @Test func `files with foreign names stay, with their folder`() throws {
        let foreign = [
            "my-notes/notes.txt", "w/1", "wxyz/1", "W2/1", "w12345678901234567/1", "w1/notes.txt",
            "w1/more/1", "w1/removed/x", "w1/removedx/x",
        ]
        for path in foreign { try put(path) }
        try put("w1/1", "w1/22", "w1/removed257/notes.txt", "w1/removed1/" + EntryName(key: "k").fileName)
        #expect(try makeSweep().run() == swept(fileCount: 3))
        #expect(foreign.allSatisfy(exists))
        #expect(!exists("w1/1") && !exists("w1/22"))
        #expect(!exists("w1/removed1") && !exists("w1/removed257"))
        #expect(exists("../01/notes.txt"), "at its path before the removal")
    }

    @Test func `a folder with a foreign file does not stop the sweep of the others`() throws {
        for name in ["w1", "w2", "w3"] { try put(name + "/1", name + "/written") }
        try put("w2/folder/notes.txt")
        #expect(try makeSweep().run() == swept(fileCount: 3))
        #expect(!exists("w1") && exists("w2/folder/notes.txt") && !exists("w3"))
    }

    @Test(arguments: [FaultyFileSystem.Call.open, .list, .removeFile, .removeFolder, .tryLock])
    func `a folder that cannot be swept is counted, and the others are swept`(
        call: FaultyFileSystem.Call
    ) throws {
        for name in ["w1", "w2", "w3"] { try put(name + "/1") }
        // The first listing is that of the folder of all writers.
        fixture.files.arm(.init(call, skipping: call == .list ? 2 : 1, errorNumber: EIO))
        #expect(try makeSweep().run().failureCount == 1)
        #expect(["w1", "w2", "w3"].count(where: exists) == 1)
        #expect(try makeSweep().run().failureCount == 0)
        #expect(!["w1", "w2", "w3"].contains(where: exists))
        #expect(fixture.files.openFileCount == 0)
    }

    @Test func `entries that were being removed together are not restored`() async throws {
        let cache = try await fixture.cache()
        try await cache.store(testBytes(10), forKey: "k")
        try await cache.close()
        let name = EntryName(key: "k")
        try put("w1/1")
        try FileManager.default.moveItem(
            atPath: layout.folder(of: name),
            toPath: layout.temporary + "/w1/removed7"
        )
        #expect(try makeSweep().run() == swept(fileCount: 2))
        #expect(!exists("w1"))
        #expect(try await fixture.cache().blob(forKey: "k") == nil)
    }

    @Test(arguments: [true, false])
    func `an entry set aside by a dead process does not come back after it was removed`(isAll: Bool)
        async throws
    {
        let cache = try await fixture.cache()
        try await cache.store(testBytes(10), forKey: "k")
        // Another process has set it aside to evict it, and is killed.
        let name = EntryName(key: "k")
        try put("w1/1")
        try FileManager.default.moveItem(
            atPath: layout.path(of: name),
            toPath: layout.temporary + "/w1/" + name.fileName
        )
        if isAll {
            try await cache.removeAll()
            // The folder exists again.
            try FileManager.default.createDirectory(
                atPath: layout.folder(of: name),
                withIntermediateDirectories: true
            )
        } else {
            _ = try await cache.removeBlobs { $0 == "k" }
            _ = try await cache.removeBlob(forKey: "k")
        }
        try await cache.close()
        #expect(try await fixture.cache().blob(forKey: "k") == nil)
    }

    @Test func `a swept folder is locked once, until the sweep ends`() throws {
        // A child that is starting holds a copy of every lock for a moment, so a released lock may not be
        // available at once.
        try put("w1/written", text: "12 3456")
        fixture.files.arm(nil)
        #expect(try makeSweep().run() == swept(fileCount: 0))
        #expect(!exists("w1"))
        #expect(fixture.files.calls.count { $0 == .tryLock } == 1)
        #expect(fixture.files.openFileCount == 0)
    }

    @Test func `removals of dead writers complete after the opening, not during it`() async throws {
        let keys = (0..<20).map(String.init)
        for key in keys { try put("w1/removed7/" + EntryName(key: key).fileName) }
        try put("w1/removed7/notes.txt")
        let (reached, released) = (AsyncGate(), BlockingGate())
        fixture.files.hold(.removeFile, reached: reached, until: released)
        let cache = try await fixture.cache()
        await reached.wait()
        try await cache.store(testBytes(10), forKey: "k")
        #expect(try await cache.blob(forKey: "k")?.data == testBytes(10))
        released.open()
        try await cache.close()
        #expect(!exists("w1"))
        #expect(exists("../07/notes.txt"), "at its path before the removal")
    }

    @Test func `a folder without an owner is swept, and its written usage is returned`() throws {
        try put("w1/1")
        try put("w1/written", text: "12 3456")
        try put("notes/1")
        let owned = WriterFolder(fileSystem: fixture.files, layout: layout) { "w2" }
        _ = try owned.createFile()
        let sweep = makeSweep()
        #expect(try sweep.sweepIfAbandoned("w2") == nil)
        #expect(try sweep.sweepIfAbandoned("w3") == nil)
        #expect(try sweep.sweepIfAbandoned("notes") == nil)
        #expect(exists("w2") && exists("notes/1"))
        #expect(owned.name == "w2")
        #expect(try sweep.sweepIfAbandoned("w1") == swept(fileCount: 1, written: "12 3456"))
        #expect(!exists("w1"))
    }

    @Test func `without locks no writer counts as dead`() throws {
        try put("w1/1")
        fixture.files.arm(.init(.tryLock, errorNumber: ENOLCK))
        #expect(try makeSweep().sweepIfAbandoned("w1") == nil)
        #expect(exists("w1/1"))
    }

    private func swept(fileCount: Int, written: String? = nil) -> SweptFiles {
        var swept = SweptFiles()
        swept.fileCount = fileCount
        swept.written = written
        return swept
    }
}
