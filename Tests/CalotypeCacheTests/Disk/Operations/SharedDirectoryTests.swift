import CalotypeCache
import CalotypeCore
import CalotypeTesting
import FoundationEssentials
import TestMaterial
import TestSupport
import Testing

@Suite(.blocking, .skipped(under: .address, because: "starts programs for minutes"))
struct SharedDirectoryTests {
    @Test(.skipped(under: .thread, because: "starts programs, in which it is not built"), arguments: [2, 4])
    func `processes share a directory and its limit, and lose nothing`(processCount: Int) async throws {
        let scratch = try ScratchFolder()
        let root = scratch.path + "/cache"
        var sampleCount = 0
        // On a busy machine the writers may finish before enough samples are taken.
        for round in 0..<10 where sampleCount < 3 {
            let seeds = (1...processCount).map { round * processCount + $0 }
            sampleCount += try watchProcesses(sharing: root, seeds: seeds)
        }
        #expect(sampleCount >= 3)
        let cache = try await DiskCache.open(.init(root: root))
        #expect(try await cache.usage().byteCount <= 200_000)
        #expect(try await cache.usage().entryCount > 50)
        #expect(try await cache.verify().corruptCount == 0)
        // Each process has read back its committed entries; here all of them are checked together.
        let kept = try await DiskCache.open(.init(root: root, namespace: "kept"))
        for entry in try await kept.entries() {
            let key = try #require(Int(entry.key))
            let blob = try #require(try await kept.blob(forKey: entry.key))
            #expect(ProbeContent.version(of: blob.data, key: key) != nil)
        }
        #expect(try await kept.usage().entryCount > 20 * processCount)
        #expect(kept.statistics.damagedCount == 0)
        #expect(try scratch.files().allSatisfy { !$0.contains("/tmp/") })
    }

    /// Runs a process for each seed, and samples the directory while all of them are stopped.
    private func watchProcesses(sharing root: String, seeds: [Int]) throws -> Int {
        let probes = try seeds.map { seed in
            try ProbeProcess("share", root, "\(seed)", "\(8000 / seeds.count)")
        }
        let scan = DirectoryScan(
            fileSystem: PosixFileSystem(),
            layout: DirectoryLayout(root: root, namespace: "default")
        )
        var sampleCount = 0
        while probes.contains(where: \.isRunning) {
            var byteCount = 0
            try ProbeProcess.whileStopped(probes[...]) {
                try scan.forEachFolder { byteCount += $0.reduce(0) { $0 + $1.byteCount } }
            }
            #expect(byteCount <= 220_000)
            sampleCount += 1
            // Idle walks leave most of the time to the writers.
            for _ in 0..<8 { try scan.forEachFolder { _ in } }
        }
        for probe in probes { #expect(probe.wait() == 0) }
        return sampleCount
    }

    /// The view of another process on the same directory.
    private func makeRemover(_ fixture: DiskFixture, _ files: any FileSystem) -> (EntryReader, EntryRemover) {
        let layout = DirectoryLayout(root: fixture.scratch.path + "/cache", namespace: "default")
        let folder = WriterFolder(fileSystem: files, layout: layout)
        return (
            EntryReader(fileSystem: files, layout: layout),
            EntryRemover(fileSystem: files, layout: layout, folder: folder)
        )
    }

    @Test func `removing a judged entry spares the newer one that replaced it`() async throws {
        let fixture = try DiskFixture()
        let cache = try await fixture.cache()
        try await cache.store(testBytes(10, seed: 1), forKey: "k")
        let name = EntryName(key: "k")
        let otherFiles = FaultyFileSystem()
        let (reader, remover) = makeRemover(fixture, otherFiles)
        guard case .found(let judged) = try reader.read(name, key: "k") else {
            Issue.record("the entry is not there")
            return
        }
        let (reached, released) = (AsyncGate(), BlockingGate())
        otherFiles.hold(.rename, reached: reached, until: released)
        let removal = Task.detached { try remover.remove(name, ifStill: judged.status.identity) }
        await reached.wait()
        fixture.clock.advance(by: .nanoseconds(1))
        try await cache.store(testBytes(10, seed: 2), forKey: "k")
        released.open()
        let kept = try PosixFileSystem().status(at: cache.path(forKey: "k"))
        #expect(try await removal.value == .replaced(kept))
        #expect(try await cache.blob(forKey: "k")?.data == testBytes(10, seed: 2))
        #expect(try fixture.temporaryFiles().isEmpty)
    }

    @Test func `a process that dies between setting aside and restoring loses no entry`() async throws {
        let fixture = try DiskFixture()
        let cache = try await fixture.cache()
        try await cache.store(testBytes(10), forKey: "k")
        try await cache.close()
        let path = cache.path(forKey: "k")
        let abandoned = fixture.scratch.path + "/cache/default/v1/tmp/wdead"
        try FileManager.default.createDirectory(atPath: abandoned, withIntermediateDirectories: true)
        let fileName = EntryName(key: "k").fileName
        try FileManager.default.moveItem(atPath: path, toPath: "\(abandoned)/\(fileName)")
        try Data([1]).write(to: URL(filePath: abandoned + "/1"))
        let next = try await fixture.cache(nil)
        #expect(try await next.blob(forKey: "k")?.data == testBytes(10))
        #expect(next.statistics.sweptFileCount == 2)
        #expect(!FileManager.default.fileExists(atPath: abandoned))
    }

    @Test func `a sweep spares the files of a live writer`() async throws {
        let fixture = try DiskFixture()
        let cache = try await fixture.cache()
        let (reached, released) = (AsyncGate(), BlockingGate())
        fixture.files.hold(.rename, reached: reached, until: released)
        let store = Task.immediate { try await cache.store(testBytes(10), forKey: "k") }
        await reached.wait()
        let other = try await DiskCache.open(.init(root: fixture.scratch.path + "/cache"))
        #expect(other.statistics.sweptFileCount == 0)
        #expect(try fixture.temporaryFiles().count == 1)
        released.open()
        try await store.value
        #expect(try await other.blob(forKey: "k") == nil, "its clock says 2023, and it has expired by now")
        #expect(try await cache.blob(forKey: "k")?.data == testBytes(10))
    }
}
