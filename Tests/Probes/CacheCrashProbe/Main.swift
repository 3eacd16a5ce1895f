import CalotypeCache
import CalotypeCore
import CalotypeTesting
import FoundationEssentials
import Glibc
import TestMaterial

/// Works on a cache directory until it is done or killed; the tests check the remaining files.
///
///     CacheCrashProbe churn ROOT JOURNAL SEED SKIPPED [CALL]
///                                                      kills itself at a file call after so many, of one
///                                                      kind in the larger cache or of any in both
///     CacheCrashProbe index COUNT                      prints the bytes of memory per entry of the index
///     CacheCrashProbe share ROOT SEED OPERATIONS       checks what it reads; status 1 for a wrong byte, or
///                                                      for a lost entry in a cache without evictions
@main
struct CacheCrashProbe {
    static func main() async throws {
        let arguments = CommandLine.arguments
        switch (arguments.dropFirst().first, arguments.count) {
        case ("churn", 6), ("churn", 7):
            try await churn(
                root: arguments[2],
                journal: Journal(path: arguments[3]),
                seed: UInt64(arguments[4]) ?? 0,
                skipping: Int(arguments[5]) ?? 0,
                at: arguments.count > 6 ? FaultyFileSystem.Call(rawValue: arguments[6]) : nil
            )
        case ("share", 5):
            try await share(
                root: arguments[2],
                seed: UInt64(arguments[3]) ?? 0,
                count: Int(arguments[4]) ?? 0
            )
        case ("index", 3): try measureIndex(count: Int(arguments[2]) ?? 0)
        default:
            print("usage: CacheCrashProbe index COUNT | churn ROOT JOURNAL SEED SKIPPED [CALL]")
            print("     | share ROOT SEED OPERATIONS")
            exit(2)
        }
    }

    /// Fills the index of each of the 256 folders like a walk, which knows the number of coming entries.
    private static func measureIndex(count: Int) throws {
        let before = try residentByteCount()
        let folderCount = 256
        var indexes = (0..<folderCount).map { _ in DiskIndex(policy: LRUDiskPolicy()) }
        let time = Timestamp(nanosecondsSince1970: 1_700_000_000_000_000_000)
        for folder in indexes.indices {
            let entryCount = count / folderCount
            indexes[folder].reserveCapacity(entryCount)
            for number in 0..<entryCount {
                let entry = DiskIndexEntry(
                    name: EntryName(key: "\(folder)/\(number).jpeg"),
                    byteCount: 20_000,
                    accessedAt: time + .nanoseconds(number &* 7919 % entryCount),
                    identity: FileIdentity(inode: UInt64(number), writtenAt: time)
                )
                indexes[folder].merge(entry)
            }
        }
        print((try residentByteCount() - before) / max(1, indexes.reduce(0) { $0 + $1.count }))
    }

    private static func residentByteCount() throws -> Int {
        let words = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " ")
        return (words.count > 1 ? Int(words[1]) ?? 0 : 0) * sysconf(Int32(_SC_PAGESIZE))
    }

    /// Several tasks store, replace, renew and remove, each with its own keys, in an unlimited cache and in a
    /// small one; each step is in the journal before its start and after its end.
    private static func churn(
        root: String,
        journal: Journal,
        seed: UInt64,
        skipping: Int,
        at call: FaultyFileSystem.Call?
    ) async throws {
        let files = FaultyFileSystem()
        files.killProcess(at: call, skipping: skipping)
        var configuration = DiskCache.Configuration(root: root, namespace: "kept")
        configuration.fileSystem = files
        configuration.settings = DiskSettings(sizeLimit: 1 << 30, expiry: .never)
        let kept = try await DiskCache.open(configuration)
        configuration.namespace = "small"
        if call != nil { configuration.fileSystem = FaultyFileSystem() }
        configuration.settings = DiskSettings(sizeLimit: 40_000, expiry: .never)
        let small = try await DiskCache.open(configuration)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for worker in 0..<4 {
                group.addTask {
                    var generator = SeededGenerator(seed: seed &* 31 &+ UInt64(worker))
                    while true {
                        let key = Int.random(in: 0..<10, using: &generator) * 4 + worker
                        try await step(kept, journal, key, &generator)
                        try await disturb(small, key, &generator)
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    private static func step(
        _ cache: DiskCache,
        _ journal: Journal,
        _ key: Int,
        _ generator: inout SeededGenerator
    ) async throws {
        let choice = Int.random(in: 0..<10, using: &generator)
        let version = choice < 7 ? UInt64.random(in: 1 ... .max, using: &generator) : 0
        guard choice < 9 else {
            _ = try await cache.renewBlob(forKey: "\(key)", options: BlobOptions(metadata: Data([1])))
            return
        }
        journal.note("begin", key: key, version: version)
        if version > 0 {
            try await cache.store(ProbeContent.bytes(key: key, version: version), forKey: "\(key)")
        } else {
            try await cache.removeBlob(forKey: "\(key)")
        }
        journal.note("end", key: key, version: version)
    }

    private static func disturb(
        _ cache: DiskCache,
        _ key: Int,
        _ generator: inout SeededGenerator
    ) async throws {
        let version = UInt64.random(in: 1 ... .max, using: &generator)
        switch Int.random(in: 0..<20, using: &generator) {
        case 0: try await cache.trim(toSize: 20_000)
        case 1: try await cache.removeAll()
        default: try await cache.store(ProbeContent.bytes(key: key, version: version), forKey: "\(key)")
        }
    }

    /// Stores, reads, removes and trims in a directory shared with another process.
    private static func share(root: String, seed: UInt64, count: Int) async throws {
        let cache = try await DiskCache.open(.init(root: root, settings: DiskSettings(sizeLimit: 200_000)))
        let roomy = DiskSettings(sizeLimit: 1 << 30, expiry: .never)
        let kept = try await DiskCache.open(.init(root: root, namespace: "kept", settings: roomy))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for worker in 0..<4 {
                group.addTask {
                    var generator = SeededGenerator(seed: seed &* 31 &+ UInt64(worker))
                    var own = OwnEntries(cache: kept, firstKey: (Int(seed) * 4 + worker) * 1000)
                    for step in 0..<count / 4 {
                        try await shareStep(cache, &generator)
                        if step % 8 == 0 { try await own.step(&generator) }
                    }
                    try await own.check()
                }
            }
            try await group.waitForAll()
        }
        for statistics in [cache.statistics, kept.statistics] {
            guard statistics.damagedCount == 0, statistics.maintenanceFailureCount == 0 else {
                print("damaged or failed: \(statistics)")
                exit(1)
            }
        }
        try await cache.close()
        try await kept.close()
    }

    private static func shareStep(_ cache: DiskCache, _ generator: inout SeededGenerator) async throws {
        let key = Int.random(in: 0..<300, using: &generator)
        switch Int.random(in: 0..<100, using: &generator) {
        case 0: try await cache.trim(toSize: 150_000)
        case 1..<5: try await cache.removeBlob(forKey: "\(key)")
        case 5..<55:
            let version = UInt64.random(in: 1 ... .max, using: &generator)
            try await cache.store(ProbeContent.bytes(key: key, version: version), forKey: "\(key)")
        default:
            guard let blob = try await cache.blob(forKey: "\(key)") else { return }
            guard ProbeContent.version(of: blob.data, key: key) == nil else { return }
            print("wrong bytes for key \(key)")
            exit(1)
        }
    }
}

/// Entries changed by one task only, in a cache without evictions: each must be the last stored value.
private struct OwnEntries {
    let cache: DiskCache
    let firstKey: Int
    private var versions: [Int: UInt64] = [:]

    init(cache: DiskCache, firstKey: Int) {
        self.cache = cache
        self.firstKey = firstKey
    }

    mutating func step(_ generator: inout SeededGenerator) async throws {
        let key = firstKey + Int.random(in: 0..<20, using: &generator)
        let version = UInt64.random(in: 1 ... .max, using: &generator)
        try await cache.store(ProbeContent.bytes(key: key, version: version), forKey: "\(key)")
        versions[key] = version
    }

    func check() async throws {
        for (key, version) in versions {
            let blob = try await cache.blob(forKey: "\(key)")
            guard let blob, ProbeContent.version(of: blob.data, key: key) == version else {
                print("the entry for key \(key) is lost")
                exit(1)
            }
        }
    }
}

/// Lines in a file, written at once so that they survive the process.
private final class Journal: Sendable {
    private let file: Int32

    init(path: String) {
        file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
    }

    func note(_ event: String, key: Int, version: UInt64) {
        let line = Array("\(event) \(key) \(version)\n".utf8)
        guard write(file, line, line.count) == line.count else { exit(3) }
    }
}
