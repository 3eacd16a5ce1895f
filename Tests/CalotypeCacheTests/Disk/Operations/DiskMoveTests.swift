import CalotypeCache
import CalotypeTesting
import FoundationEssentials
import Glibc
import TestMaterial
import TestSupport
import Testing

@Suite(.blocking) struct DiskMoveTests {
    /// A closed cache with some entries, whose folder is to be moved.
    private func makeOld(in fixture: DiskFixture, keys: [String], seed: Int = 1) async throws -> String {
        var configuration = fixture.configuration(DiskSettings(countLimit: 77))
        configuration.namespace = "old"
        let cache = try await DiskCache.open(configuration)
        for key in keys { try await cache.store(testBytes(100, seed: seed), forKey: key) }
        try await cache.close()
        return fixture.scratch.path + "/cache/old"
    }

    private func exists(_ path: String) -> Bool { FileManager.default.fileExists(atPath: path) }

    @Test func `an absent target becomes the source by one rename`() async throws {
        let fixture = try DiskFixture()
        let old = try await makeOld(in: fixture, keys: ["a", "b"])
        let cache = try await fixture.cache(nil)
        fixture.files.arm(nil)
        #expect(try await cache.move(from: old).entryCount == 2)
        #expect(fixture.files.calls.filter { $0 == .rename }.count == 1)
        #expect(try await cache.blob(forKey: "a")?.data == testBytes(100))
        #expect(try await cache.usage().entryCount == 2)
        #expect(!exists(old))
        for index in 0..<90 { try await cache.store(testBytes(1), forKey: "\(index)") }
        #expect(try await cache.usage().entryCount <= 77, "the settings came along")
    }

    @Test func `moving from an absent source, or from the cache itself, changes nothing`() async throws {
        let fixture = try DiskFixture()
        let cache = try await fixture.cache()
        try await cache.store(testBytes(100), forKey: "a")
        #expect(try await cache.move(from: fixture.scratch.path + "/nothing").entryCount == 0)
        #expect(try await cache.move(from: fixture.scratch.path + "/cache/default/").entryCount == 0)
        #expect(try await cache.blob(forKey: "a") != nil)
        #expect(try await cache.usage().entryCount == 1)
    }

    @Test func `a cache is never merged with itself, also through a link and during a store`() async throws {
        let fixture = try DiskFixture()
        let cache = try await fixture.cache()
        try await cache.store(testBytes(100), forKey: "a")
        let alias = fixture.scratch.path + "/alias"
        try FileManager.default.createSymbolicLink(atPath: alias, withDestinationPath: "cache/default")
        let (reached, released) = (AsyncGate(), BlockingGate())
        // The source has been checked; its `tmp` is listed next.
        fixture.files.hold(.list, reached: reached, until: released)
        let move = Task.detached { try await cache.move(from: alias) }
        await reached.wait()
        let base = fixture.scratch.path + "/cache/default/v1"
        #expect(utimes(base, [timeval(tv_sec: 1, tv_usec: 0), timeval(tv_sec: 1, tv_usec: 0)]) == 0)
        released.open()
        #expect(try await move.value.entryCount == 0)
        #expect(try await cache.blob(forKey: "a")?.data == testBytes(100))
    }

    @Test func `a file at the path of the target is replaced`() async throws {
        let fixture = try DiskFixture()
        let old = try await makeOld(in: fixture, keys: ["a"])
        try Data([1]).write(to: URL(filePath: fixture.scratch.path + "/cache/default"))
        let cache = try DiskCache(fixture.configuration(nil))
        #expect(try await cache.move(from: old).entryCount == 1)
        #expect(try await cache.blob(forKey: "a") != nil)
    }

    @Test func `existing entries take precedence, others are moved, and the source is removed`() async throws
    {
        let fixture = try DiskFixture()
        let old = try await makeOld(in: fixture, keys: ["a", "b", "c"], seed: 1)
        let cache = try await fixture.cache()
        try await cache.store(testBytes(100, seed: 2), forKey: "a")
        #expect(try await cache.move(from: old).entryCount == 2)
        #expect(try await cache.blob(forKey: "a")?.data == testBytes(100, seed: 2))
        #expect(try await cache.blob(forKey: "b")?.data == testBytes(100, seed: 1))
        #expect(try await cache.usage().entryCount == 3)
        #expect(!exists(old))
    }

    @Test(arguments: [EXDEV, EPERM])
    func `files that cannot be linked are copied with their dates`(errorNumber: Int32) async throws {
        let fixture = try DiskFixture()
        let old = try await makeOld(in: fixture, keys: ["a"])
        let written = fixture.clock.now()
        fixture.clock.advance(by: .seconds(50))
        let cache = try await fixture.cache()
        fixture.files.arm(.init(.link, errorNumber: errorNumber))
        #expect(try await cache.move(from: old).entryCount == 1)
        #expect(fixture.files.hasFailed)
        let entry = try await cache.entries().first
        #expect(entry?.writtenAt == written)
        #expect(entry?.accessedAt == written)
        #expect(try await cache.blob(forKey: "a")?.data == testBytes(100))
        #expect(try fixture.temporaryFiles().isEmpty)
    }

    @Test func `foreign files in the source stay`() async throws {
        let fixture = try DiskFixture()
        let old = try await makeOld(in: fixture, keys: ["a"])
        let foreign = URL(filePath: old + "/v1/notes.txt")
        try Data([1]).write(to: foreign)
        let cache = try await fixture.cache()
        #expect(try await cache.move(from: old).entryCount == 1)
        #expect(try Data(contentsOf: foreign) == Data([1]))
    }

    @Test func `moving into a smaller cache respects its limit`() async throws {
        let fixture = try DiskFixture()
        let old = try await makeOld(in: fixture, keys: (0..<30).map { "\($0)" })
        let cache = try await fixture.cache(DiskSettings(countLimit: 10))
        try await cache.move(from: old)
        #expect(try await cache.usage().entryCount <= 10)
        #expect(try fixture.entryFiles().count <= 10)
    }

    @Test func `temporary files of dead writers in the source are removed`() async throws {
        let fixture = try DiskFixture()
        for isThere in [false, true] {
            let old = try await makeOld(in: fixture, keys: ["a"])
            let dead = old + "/v1/tmp/wdead"
            try FileManager.default.createDirectory(atPath: dead, withIntermediateDirectories: true)
            try Data([1]).write(to: URL(filePath: dead + "/1"))
            let cache = try await fixture.cache(nil)
            if isThere { try await cache.store(testBytes(1), forKey: "b") }
            #expect(try await cache.move(from: old).entryCount == (isThere ? 0 : 1))
            #expect(!exists(old))
        }
    }

    @Test func `a target that is a symbolic link is followed`() async throws {
        let fixture = try DiskFixture()
        let old = try await makeOld(in: fixture, keys: ["a"])
        let first = try await fixture.cache()
        try await first.store(testBytes(100, seed: 9), forKey: "b")
        try await first.close()
        let (base, disk) = (fixture.scratch.path + "/cache/default/v1", fixture.scratch.path + "/disk")
        try FileManager.default.moveItem(atPath: base, toPath: disk)
        try FileManager.default.createSymbolicLink(atPath: base, withDestinationPath: "../../disk")
        let cache = try await fixture.cache(nil)
        #expect(try await cache.move(from: old).entryCount == 1)
        #expect(try await cache.blob(forKey: "a")?.data == testBytes(100))
        #expect(try await cache.blob(forKey: "b")?.data == testBytes(100, seed: 9))
        #expect(try PosixFileSystem().linkTarget(at: base) == "../../disk")
    }

    @Test func `a target that is a dangling link is an error, and stays`() async throws {
        let fixture = try DiskFixture()
        let old = try await makeOld(in: fixture, keys: ["a"])
        let base = fixture.scratch.path + "/cache/default/v1"
        try FileManager.default.createDirectory(
            atPath: fixture.scratch.path + "/cache/default",
            withIntermediateDirectories: true
        )
        try FileManager.default.createSymbolicLink(atPath: base, withDestinationPath: "/nowhere/at/all")
        let cache = try DiskCache(fixture.configuration(nil))
        await expectCode(.obstructed) { try await cache.move(from: old) }
        #expect(try PosixFileSystem().linkTarget(at: base) == "/nowhere/at/all")
        #expect(exists(old + "/v1"))
    }

    @Test func `a source that is a symbolic link is moved from its destination`() async throws {
        let fixture = try DiskFixture()
        let old = try await makeOld(in: fixture, keys: ["a"])
        try FileManager.default.moveItem(atPath: old + "/v1", toPath: fixture.scratch.path + "/disk")
        try FileManager.default.createSymbolicLink(atPath: old + "/v1", withDestinationPath: "../../disk")
        let cache = try await fixture.cache(nil)
        #expect(try await cache.move(from: old).entryCount == 1)
        #expect(try await cache.blob(forKey: "a")?.data == testBytes(100))
    }

    @Test func `a source that other users can write to is rejected and stays`() async throws {
        let fixture = try DiskFixture()
        let old = try await makeOld(in: fixture, keys: ["a"])
        #expect(chmod(old, 0o777) == 0)
        let cache = try await fixture.cache()
        await expectCode(.untrustedDirectory) { try await cache.move(from: old) }
        #expect(exists(old + "/v1"))
        #expect(try await cache.usage().entryCount == 0)
    }

    @Test func `a relative source is resolved against the current folder`() async throws {
        let fixture = try DiskFixture()
        let old = try await makeOld(in: fixture, keys: ["a"])
        let depth = FileManager.default.currentDirectoryPath.split(separator: "/").count
        let relative = String(repeating: "../", count: depth) + old.dropFirst()
        let cache = try await fixture.cache()
        #expect(try await cache.move(from: relative).entryCount == 1)
    }
}
