import CalotypeCache
import CalotypeTesting
import FoundationEssentials
import Glibc
import TestMaterial
import TestSupport
import Testing

/// Only root can change owners, so other users have nothing to test.
@Suite(.blocking, .enabled(if: geteuid() == 0, "needs root, to give files to another user"))
struct DiskOwnerTests {
    @Test func `a program run as root gives its files to the owner of the root folder`() async throws {
        let fixture = try DiskFixture()
        let root = fixture.scratch.path + "/cache"
        try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true)
        #expect(chown(root, 1234, 1235) == 0)
        let cache = try await fixture.cache()
        try await cache.store(testBytes(10), forKey: "k")
        try await cache.renewBlob(forKey: "k", options: BlobOptions())
        let folder = URL(filePath: cache.path(forKey: "k")).deletingLastPathComponent().path
        let paths = [
            cache.path(forKey: "k"), folder, root + "/default", root + "/default/v1", root + "/CACHEDIR.TAG",
            root + "/default/v1/settings", root + "/default/v1/tmp",
        ]
        for path in paths {
            let attributes = try FileManager.default.attributesOfItem(atPath: path)
            #expect(attributes[.ownerAccountID] as? Int == 1234, "\(path)")
            #expect(attributes[.groupOwnerAccountID] as? Int == 1235, "\(path)")
        }
    }

    @Test func `a program run as an ordinary user changes no owners`() async throws {
        let fixture = try DiskFixture()
        fixture.files.actAs(userID: 1000)
        let cache = try await fixture.cache()
        fixture.files.arm(nil)
        try await cache.store(testBytes(10), forKey: "k")
        #expect(!fixture.files.calls.contains(.setOwner))
    }

    @Test(arguments: [EPERM, EINVAL])
    func `files whose owner cannot be changed are stored, and the change is not retried`(
        errorNumber: Int32
    ) async throws {
        let fixture = try DiskFixture()
        let root = fixture.scratch.path + "/cache"
        try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true)
        #expect(chown(root, 1234, 1235) == 0)
        fixture.files.arm(.init(.setOwner, errorNumber: errorNumber, count: .max))
        let cache = try await fixture.cache(nil)
        for index in 0..<20 { try await cache.store(testBytes(10), forKey: "\(index)") }
        #expect(try await cache.blob(forKey: "7")?.data == testBytes(10))
        #expect(cache.statistics.writeFailureCount == 0)
        // The folder of the namespace was refused first; files created in it belong to root.
        #expect(cache.statistics.maintenanceFailureCount == 1)
        #expect(fixture.files.calls.count { $0 == .setOwner } == 1)
        #expect(try FileManager.default.contentsOfDirectory(atPath: root + "/default/v1/tmp").count == 1)
    }

    @Test func `with trust in other users, no owner is changed`() async throws {
        let fixture = try DiskFixture()
        let root = fixture.scratch.path + "/cache"
        try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true)
        #expect(chown(root, 1234, 1235) == 0)
        var configuration = fixture.configuration()
        configuration.trustsOtherUsers = true
        let cache = try await DiskCache.open(configuration)
        try await cache.store(testBytes(10), forKey: "k")
        #expect(!fixture.files.calls.contains(.setOwner))
    }

    @Test func `the directory of two other users is not used`() async throws {
        let fixture = try DiskFixture()
        let root = fixture.scratch.path + "/cache"
        try FileManager.default.createDirectory(atPath: root + "/default", withIntermediateDirectories: true)
        #expect(chown(root, 1234, 1235) == 0 && chown(root + "/default", 1236, 1235) == 0)
        await expectCode(.untrustedDirectory) { _ = try await fixture.cache() }
        #expect(chown(root + "/default", 1234, 1235) == 0)
        _ = try await fixture.cache()
        fixture.files.actAs(userID: 1000)
        await expectCode(.untrustedDirectory) { _ = try await fixture.cache() }
    }
}
