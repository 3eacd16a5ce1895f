import CalotypeCache
import CalotypeTesting
import FoundationEssentials
import Glibc
import TestSupport
import Testing

/// Tests on a disk that is really full; `DiskFaultTests` simulates one.
@Suite(
    .blocking,
    .enabled(if: SmallDisk.isPermitted, "mounting a file system needs root"),
    .skipped(under: .address, because: "fills disks, without a pointer that others do not take")
)
struct DiskFullTests {
    private let disk: SmallDisk

    init() throws {
        disk = try #require(SmallDisk(mebibyteCount: 2))
    }

    private func open(_ settings: DiskSettings? = DiskSettings(sizeLimit: 1 << 30)) async throws -> DiskCache
    {
        try await DiskCache.open(.init(root: disk.path + "/cache", settings: settings))
    }

    private func expectOrder(_ cache: DiskCache) async throws {
        #expect(try await cache.verify().corruptCount == 0)
        let files = try FileManager.default.subpathsOfDirectory(atPath: disk.path)
        let entries = files.filter { EntryName(fileName: String($0.split(separator: "/").last ?? "")) != nil }
        #expect(!entries.contains { $0.contains("/tmp/") })
        #expect(try await cache.usage().entryCount == entries.count)
        let temporary = files.filter {
            $0.contains("/v1/tmp/") && $0.split(separator: "/").count > 5 && !$0.hasSuffix("/written")
        }
        #expect(temporary == [], "no temporary file is left")
    }

    @Test func `a cache limit above the disk's capacity evicts for each store`() async throws {
        let cache = try await open()
        for index in 0..<300 {
            try await cache.store(testBytes(20_000, seed: index), forKey: "\(index)")
            #expect(try await cache.blob(forKey: "\(index)")?.data == testBytes(20_000, seed: index))
        }
        #expect(cache.statistics.evictionCount > 150)
        #expect(cache.statistics.writeFailureCount == 0)
        let keys = try await cache.entries().compactMap { Int($0.key) }
        #expect(keys.count > 60)
        for key in keys {
            #expect(try await cache.blob(forKey: "\(key)")?.data == testBytes(20_000, seed: key))
        }
        try await expectOrder(cache)
        try await cache.close()
    }

    @Test func `an entry without free space is a typed error, and the earlier one stays`() async throws {
        let cache = try await open()
        try await cache.store(testBytes(50_000, seed: 1), forKey: "k")
        try disk.fill()
        for _ in 0..<3 {
            await expectCode(.diskFull) {
                try await cache.store(testBytes(200_000, seed: 2), forKey: "k")
            }
        }
        #expect(try await cache.blob(forKey: "k")?.data == testBytes(50_000, seed: 1))
        #expect(cache.statistics.writeFailureCount == 3)
        try await expectOrder(cache)
        try disk.empty()
        try await cache.store(testBytes(200_000, seed: 2), forKey: "k")
        #expect(try await cache.blob(forKey: "k")?.data == testBytes(200_000, seed: 2))
        try await expectOrder(cache)
        try await cache.close()
    }

    @Test func `a cache opened on a full disk serves hits`() async throws {
        let first = try await open()
        try await first.store(testBytes(50_000), forKey: "k")
        try await first.close()
        try disk.fill()
        let cache = try await open(DiskSettings(sizeLimit: 1 << 29))
        #expect(try await cache.blob(forKey: "k")?.data == testBytes(50_000))
        #expect(try await cache.usage().entryCount == 1)
        try disk.empty()
        try await cache.store(testBytes(60_000), forKey: "l")
        #expect(try await cache.blob(forKey: "l")?.data == testBytes(60_000))
        try await expectOrder(cache)
        try await cache.close()
    }
}
