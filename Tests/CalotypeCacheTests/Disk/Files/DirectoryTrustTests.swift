import CalotypeCore
import CalotypeTesting
import FoundationEssentials
import Glibc
import TestSupport
import Testing

@testable import CalotypeCache

@Suite(.blocking) struct DirectoryTrustTests {
    private func folder(_ mode: UInt32, user: UInt32 = 0, group: UInt32? = nil) -> FileStatus {
        status(.folder, mode, user: user, group: group)
    }

    private func status(
        _ kind: FileStatus.Kind,
        _ mode: UInt32,
        user: UInt32,
        group: UInt32? = nil
    ) -> FileStatus {
        var status = FileStatus(
            kind: kind,
            byteCount: 0,
            inode: 1,
            accessedAt: .distantPast,
            writtenAt: .distantPast,
            owner: FileOwner(user: user, group: group ?? user)
        )
        status.permissions = mode
        return status
    }

    /// The reason why folders, from the top down to the cache folder, are not trusted.
    private func distrust(of folders: [FileStatus], as user: UInt32, system: UInt32 = 0) -> Distrust? {
        var judge = TrustCheck(user: user, system: system)
        do throws(FileError) {
            for (index, folder) in folders.enumerated() {
                try judge.check(folder, at: "/", isOwn: index == folders.count - 1)
            }
            return nil
        } catch {
            return error.distrust
        }
    }

    @Test func `the cache folder of a home is trusted, also with a group-writable umask`() {
        let way = [folder(0o755), folder(0o755)]
        #expect(distrust(of: way + [folder(0o700, user: 5)], as: 5) == nil)
        #expect(distrust(of: way + [folder(0o775, user: 5), folder(0o700, user: 5)], as: 5) == nil)
        #expect(distrust(of: way + [folder(0o775, user: 5)], as: 5) == nil)
    }

    @Test func `a folder of another user is not trusted at any level`() {
        #expect(distrust(of: [folder(0o755), folder(0o700, user: 6)], as: 5) == .owner)
        #expect(distrust(of: [folder(0o755, user: 6), folder(0o700, user: 5)], as: 5) == .owner)
        let link = status(.other, 0o777, user: 6)
        #expect(distrust(of: [folder(0o1777), link, folder(0o700, user: 5)], as: 5) == .owner)
        #expect(
            distrust(
                of: [folder(0o1777), status(.other, 0o777, user: 5), folder(0o700, user: 5)],
                as: 5
            ) == nil
        )
    }

    @Test func `a folder that other users can write to is not trusted`() {
        #expect(distrust(of: [folder(0o777), folder(0o700, user: 5)], as: 5) == .writers)
        #expect(distrust(of: [folder(0o775, group: 100), folder(0o700, user: 5)], as: 5) == .writers)
        #expect(distrust(of: [folder(0o755), folder(0o702, user: 5)], as: 5) == .writers)
        #expect(distrust(of: [folder(0o755), folder(0o770, user: 5, group: 6)], as: 5) == .writers)
    }

    @Test func `a sticky folder is trusted as a parent but not as the cache folder`() {
        #expect(distrust(of: [folder(0o755), folder(0o1777), folder(0o700, user: 5)], as: 5) == nil)
        #expect(distrust(of: [folder(0o755), folder(0o1777)], as: 5) == .writers)
        #expect(distrust(of: [folder(0o755), folder(0o1777, user: 5)], as: 5) == .writers)
    }

    @Test func `root trusts one other user, and not a second`() {
        let home = [folder(0o755), folder(0o755, user: 5)]
        #expect(distrust(of: home + [folder(0o700, user: 5)], as: 0) == nil)
        #expect(distrust(of: home + [folder(0o700)], as: 0) == nil)
        #expect(distrust(of: home + [folder(0o700, user: 6)], as: 0) == .owner)
        #expect(distrust(of: home + [folder(0o777, user: 5)], as: 0) == .writers)
    }

    @Test func `if the top folder belongs to nobody, its owner counts as the system`() {
        let nobody: UInt32 = 65_534
        let way = [folder(0o755, user: nobody), folder(0o700, user: 5)]
        #expect(distrust(of: way, as: 5, system: nobody) == nil)
        #expect(distrust(of: way, as: 5) == .owner)
    }
}

@Suite(.blocking) struct UntrustedDirectoryTests {
    private func makeFolder(_ path: String, _ mode: mode_t) throws {
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        #expect(chmod(path, mode) == 0)
    }

    /// Expects that every call is refused, and nothing is planted, served, stored or removed.
    private func expectRefusal(_ fixture: DiskFixture, planted name: String? = nil) async throws {
        let files = try fixture.scratch.files()
        await expectCode(.untrustedDirectory) { _ = try await fixture.cache() }
        let cache = try DiskCache(fixture.configuration())
        await expectCode(.untrustedDirectory) { _ = try await cache.blob(forKey: "k") }
        await expectCode(.untrustedDirectory) { _ = try await cache.contains("k") }
        await expectCode(.untrustedDirectory) { try await cache.store(testBytes(10), forKey: "k") }
        await expectCode(.untrustedDirectory) { try await cache.renewBlob(forKey: "k", options: .init()) }
        await expectCode(.untrustedDirectory) { try await cache.removeBlob(forKey: "k") }
        await expectCode(.untrustedDirectory) { _ = try await cache.usage() }
        await expectCode(.untrustedDirectory) { try await cache.removeAll() }
        await expectCode(.untrustedDirectory) { try await cache.trim(toSize: 0) }
        await expectCode(.untrustedDirectory) { _ = try await cache.entries() }
        await expectCode(.untrustedDirectory) { _ = try await cache.verify(removesCorrupt: true) }
        await expectCode(.untrustedDirectory) { try await cache.removeExpired() }
        await expectCode(.untrustedDirectory) { try await cache.flush() }
        try await cache.close()
        #expect(try fixture.scratch.files() == files)
    }

    @Test(arguments: ["", "/default", "/default/v1"])
    func `a world-writable cache folder is not used`(folder: String) async throws {
        let fixture = try DiskFixture()
        let cache = try await fixture.cache()
        try await cache.store(testBytes(10), forKey: "k")
        try await cache.close()
        for mode: mode_t in [0o777, 0o1777] {
            try makeFolder(fixture.scratch.path + "/cache" + folder, mode)
            try await expectRefusal(fixture)
        }
        try makeFolder(fixture.scratch.path + "/cache" + folder, 0o700)
        #expect(try await fixture.cache().blob(forKey: "k")?.data == testBytes(10))
    }

    @Test func `a world-writable parent folder must be sticky`() async throws {
        let fixture = try DiskFixture()
        try makeFolder(fixture.scratch.path, 0o777)
        try await expectRefusal(fixture)
        try makeFolder(fixture.scratch.path, 0o1777)
        let cache = try await fixture.cache()
        try await cache.store(testBytes(10), forKey: "k")
        #expect(try await cache.blob(forKey: "k")?.data == testBytes(10))
    }

    @Test func `below a world-writable folder the cache folder is created before anything is read`()
        async throws
    {
        let fixture = try DiskFixture()
        try makeFolder(fixture.scratch.path, 0o1777)
        _ = try await fixture.cache(nil)
        let path = fixture.scratch.path + "/cache/default/v1"
        #expect(try PosixFileSystem().status(at: path).permissions == 0o700)
    }

    @Test func `a symbolic link in the path is followed, and its target is checked`() async throws {
        let fixture = try DiskFixture()
        let (shared, target) = (fixture.scratch.path + "/shared", fixture.scratch.path + "/shared/real")
        try makeFolder(target, 0o700)
        try makeFolder(shared, 0o755)
        try FileManager.default.createSymbolicLink(
            atPath: fixture.scratch.path + "/cache",
            withDestinationPath: "./shared/../shared/real"
        )
        let cache = try await fixture.cache()
        try await cache.store(testBytes(10), forKey: "k")
        try await cache.close()
        try makeFolder(shared, 0o777)
        try await expectRefusal(fixture)
    }

    @Test func `a folder replaced while the cache is open is written to only if trusted`() async throws {
        let fixture = try DiskFixture()
        let cache = try await fixture.cache()
        try await cache.store(testBytes(10), forKey: "k")
        try FileManager.default.removeItem(atPath: fixture.scratch.path + "/cache")
        try makeFolder(fixture.scratch.path + "/cache", 0o777)
        await expectCode(.untrustedDirectory) { try await cache.store(testBytes(10), forKey: "k") }
        #expect(try fixture.scratch.files().isEmpty)
    }

    @Test func `a caller can declare that there are no other users`() async throws {
        let fixture = try DiskFixture()
        try makeFolder(fixture.scratch.path + "/cache", 0o777)
        var configuration = fixture.configuration()
        configuration.trustsOtherUsers = true
        let cache = try await DiskCache.open(configuration)
        try await cache.store(testBytes(10), forKey: "k")
        #expect(try await cache.blob(forKey: "k")?.data == testBytes(10))
    }

    @Test func `the error for an untrusted directory is one line with a remedy`() async throws {
        let fixture = try DiskFixture()
        try makeFolder(fixture.scratch.path + "/cache", 0o777)
        let thrown = await #expect(throws: DiskCacheError.self) { try await fixture.cache() }
        let error = try #require(thrown)
        #expect(error.path == fixture.scratch.path + "/cache")
        #expect(!error.isRetryable)
        #expect(error.description.contains("chmod go-w"))
        #expect(!error.description.contains("\n"))
    }

    @Test func `the default root is nil without a home`() {
        #expect(DirectoryLayout.defaultRoot { _ in nil } == nil)
        #expect(DirectoryLayout.defaultRoot { ["HOME": "h", "XDG_CACHE_HOME": "x"][$0] } == nil)
        #expect(DirectoryLayout.defaultRoot { ["HOME": ""][$0] } == nil)
    }

    @Test func `a relative root is resolved when the cache is created`() throws {
        let cache = try DiskCache(.init(root: "some/folder/"))
        let root = FileManager.default.currentDirectoryPath + "/some/folder"
        #expect(cache.configuration.root == root)
        #expect(cache.path(forKey: "k").hasPrefix(root + "/default/v1/"))
    }
}
