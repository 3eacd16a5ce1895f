import CalotypeCache
import CalotypeCore
import CalotypeTesting
import FoundationEssentials
import TestMaterial

/// A directory for one test, with a controllable clock and file system.
struct DiskFixture {
    let scratch: ScratchFolder
    let clock = ManualTimeSource()
    let files = FaultyFileSystem()

    init() throws {
        scratch = try ScratchFolder()
    }

    func configuration(
        _ settings: DiskSettings? = DiskSettings(),
        durability: DiskDurability = .processCrash
    ) -> DiskCache.Configuration {
        var configuration = DiskCache.Configuration(root: scratch.path + "/cache", settings: settings)
        configuration.timeSource = clock
        configuration.fileSystem = files
        configuration.durability = durability
        return configuration
    }

    func cache(_ settings: DiskSettings? = DiskSettings()) async throws -> DiskCache {
        try await DiskCache.open(configuration(settings))
    }

    func entryFiles() throws -> [String] {
        try scratch.files().filter { EntryName(fileName: String($0.split(separator: "/").last ?? "")) != nil }
    }

    /// The bytes of files; files that a cache removes after the listing do not count.
    func byteCount(of files: [String]) throws -> Int {
        try files.reduce(0) { sum, file in
            do {
                return try sum + Data(contentsOf: URL(filePath: scratch.path + "/" + file)).count
            } catch let error as CocoaError where error.code == .fileReadNoSuchFile {
                return sum
            }
        }
    }

    /// The files below `tmp`, without the reports of live writers.
    func temporaryFiles() throws -> [String] {
        try scratch.files().filter { $0.contains("/tmp/") && !$0.hasSuffix("/written") }
    }
}

/// Bytes that differ for each seed.
func testBytes(_ count: Int, seed: Int = 1) -> Data {
    Data((0..<count).map { UInt8(truncatingIfNeeded: ($0 &* 31 &+ seed &* 17) >> 1) })
}
