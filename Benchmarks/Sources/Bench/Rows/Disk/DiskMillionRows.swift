import CalotypeCache
import Foundation

/// A directory of a million entries, in memory: what is measured is warm, and a disk that is told of each
/// file removed takes minutes to get rid of them.
extension DiskRows {
    static let millionRows = [openFirstHit, scan]

    private static let openFirstHit = Row(
        "disk-open-first-hit",
        "a million entries in tmpfs: from opening to the first hit served",
        counted: .milliseconds,
        .valueAtMost(20)
    ) {
        Figures(ours: try await million.openings().firstHit / .milliseconds(1))
    }

    private static let scan = Row(
        "disk-scan",
        "a million entries in tmpfs: entries counted in the background",
        counted: .thousandsPerSecond,
        .valueAtLeast(300)
    ) {
        Figures(ours: 1_000_000 / (try await million.openings().scan / .milliseconds(1)))
    }

    private static let million = MillionEntries()
}

/// Opens a directory of a million entries a few times; made and removed in one go for both rows.
private actor MillionEntries {
    struct Openings: Sendable {
        /// From the call to the first hit, the median.
        let firstHit: Duration
        /// From the call until everything is counted, the median.
        let scan: Duration
    }

    private let count = 1_000_000
    private var known: Result<Openings, any Error>?

    func openings() async throws -> Openings {
        if let known { return try known.get() }
        do {
            known = .success(try await measure())
        } catch {
            known = .failure(error)
        }
        return try await openings()
    }

    private func measure() async throws -> Openings {
        let folder = try DiskFolder(in: "/dev/shm", byteCount: count * 5_000, fileCount: count + 1_000)
        try await fill(folder)
        var firstHits: [Duration] = []
        var scans: [Duration] = []
        for round in 0..<5 {
            let key = Self.key(round * 199_999)
            let clock = ContinuousClock()
            let start = clock.now
            let cache = try await DiskCache.open(configuration(folder))
            guard try await cache.blob(forKey: key) != nil else {
                preconditionFailure("every entry is there")
            }
            firstHits.append(start.duration(to: clock.now))
            let usage = try await cache.usage()
            precondition(usage.entryCount == count, "all are counted")
            scans.append(start.duration(to: clock.now))
            try await cache.close()
        }
        return Openings(firstHit: firstHits.sorted()[2], scan: scans.sorted()[2])
    }

    /// Entries without payload, through the cache: each file holds its key and its own checksum.
    private func fill(_ folder: DiskFolder) async throws {
        let cache = try await DiskCache.open(configuration(folder))
        try await atOnce(0..<count) { try await cache.store(Data(), forKey: Self.key($0)) }
        try await cache.close()
    }

    private func configuration(_ folder: DiskFolder) -> DiskCache.Configuration {
        DiskCache.Configuration(
            root: folder.path + "/cache",
            settings: DiskSettings(sizeLimit: 1 << 40, expiry: .never)
        )
    }

    private static func key(_ index: Int) -> String { "https://images.example.org/\(index).jpeg" }
}
