import CalotypeCache
import Foundation

/// Waiting times of a reader or a writer in a directory of a million entries during an operation on all of
/// it. The entries are in memory, as in the other rows of a million.
extension DiskRows {
    static let scaleRows = [
        worstHit("opening", "the directory is opened and counted") { $0.opening },
        worstHit("flush", "uses are written back and expired entries looked for") { $0.flush },
        worstHit("walk", "everything is looked through again, as another has begun to write") { $0.walk },
        worstHit("half", "the directory is opened with half of the limit") { $0.half },
        worstHit("limit", "entries are stored at the limit") { $0.limit },
        neighbour, clearing,
    ]

    private static func worstHit(
        _ name: String,
        _ title: String,
        _ figure: @escaping @Sendable (ScaleFigures) -> Duration
    ) -> Row {
        Row(
            "disk-worst-\(name)",
            "a million entries in tmpfs: the worst warm hit while \(title)",
            counted: .milliseconds,
            .valueAtMost(20)
        ) {
            Figures(ours: figure(try await scale.figures()) / .milliseconds(1))
        }
    }

    private static let neighbour = Row(
        "disk-million-neighbour",
        "a million entries in tmpfs: 240 stores of 20 kB by four tasks beside a second writer",
        counted: .milliseconds,
        .valueAtMost(1000)
    ) {
        Figures(ours: try await scale.figures().neighbour / .milliseconds(1))
    }

    private static let clearing = Row(
        "disk-million-clear",
        "a million entries in tmpfs: a store issued after everything was removed",
        counted: .milliseconds,
        .valueAtMost(50)
    ) {
        Figures(ours: try await scale.figures().clear / .milliseconds(1))
    }

    private static let scale = ScaleWork()
}

/// Figures measured once for all rows, since the directory takes a minute to make.
struct ScaleFigures: Sendable {
    var opening = Duration.zero
    var flush = Duration.zero
    var walk = Duration.zero
    var half = Duration.zero
    var limit = Duration.zero
    var neighbour = Duration.zero
    var clear = Duration.zero
}

/// Does to a directory of a million entries what the rows tell, one after another.
private actor ScaleWork {
    private let count = 1_000_000
    private var known: Result<ScaleFigures, any Error>?

    func figures() async throws -> ScaleFigures {
        if let known { return try known.get() }
        do {
            known = .success(try await measure())
        } catch {
            known = .failure(error)
        }
        return try await figures()
    }

    private func measure() async throws -> ScaleFigures {
        let folder = try DiskFolder(in: "/dev/shm", byteCount: count * 5_000, fileCount: count + 10_000)
        var figures = ScaleFigures()
        let first = try await open(folder, countLimit: count)
        try await atOnce(0..<count) { try await first.store(Data(), forKey: Self.key($0)) }
        try await first.close()

        let cache = try await open(folder, countLimit: count)
        figures.opening = try await Self.worstHit(of: cache) { _ = try await cache.usage() }
        figures.flush = try await Self.worstHit(of: cache) { try await cache.flush() }
        figures.limit = try await Self.worstHit(of: cache) {
            for index in 0..<2_000 { try await cache.store(Data(), forKey: "more \(index)") }
        }
        let other = try await open(folder, countLimit: nil)
        _ = try await other.usage()
        try await other.store(Data(), forKey: "other")
        figures.walk = try await Self.worstHit(of: cache) {
            // The first of these finds the other, and the walk goes on behind them.
            for index in 0..<3_000 { try await cache.store(Data(), forKey: "walked \(index)") }
        }
        figures.neighbour = try await stores(in: cache, beside: other)
        try await other.close()
        try await cache.close()

        let halved = try await open(folder, countLimit: count / 2)
        figures.half = try await Self.worstHit(of: halved) { _ = try await halved.usage() }
        figures.clear = try await timeOfStore(in: halved)
        try await halved.close()
        return figures
    }

    /// The longest of the hits that one task has one after another while `body` runs.
    private static func worstHit(
        of cache: DiskCache,
        while body: @Sendable () async throws -> Void
    ) async throws -> Duration {
        let hits = Task {
            let clock = ContinuousClock()
            var worst = Duration.zero
            var hitCount = 0
            while !Task.isCancelled {
                // Those used last are the last to leave.
                let key = Self.key(999_999 - hitCount % 64)
                let start = clock.now
                let blob = try await cache.blob(forKey: key)
                worst = max(worst, start.duration(to: clock.now))
                precondition(blob != nil, "what is used stays")
                hitCount += 1
                if hitCount % 256 == 0 { await Task.yield() }
            }
            return worst
        }
        try await body()
        hits.cancel()
        return try await hits.value
    }

    private func stores(in cache: DiskCache, beside other: DiskCache) async throws -> Duration {
        let data = Data(repeating: 7, count: 20_000)
        let clock = ContinuousClock()
        return try await clock.measure {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for task in 0..<4 {
                    group.addTask {
                        for index in 0..<60 {
                            try await cache.store(data, forKey: "task \(task), \(index)")
                            if index % 10 == 0 { try await other.store(data, forKey: "other \(index)") }
                        }
                    }
                }
                try await group.waitForAll()
            }
        }
    }

    /// From the call of a store that is issued right behind a removal of everything until it has returned.
    private func timeOfStore(in cache: DiskCache) async throws -> Duration {
        let clear = Task.immediate { try await cache.removeAll() }
        let clock = ContinuousClock()
        let duration = try await clock.measure { try await cache.store(Data(), forKey: "after") }
        _ = try await clear.value
        return duration
    }

    private func open(_ folder: DiskFolder, countLimit: Int?) async throws -> DiskCache {
        try await DiskCache.open(
            DiskCache.Configuration(
                root: folder.path + "/cache",
                settings: countLimit.map { DiskSettings(sizeLimit: 1 << 40, countLimit: $0, expiry: .never) }
            )
        )
    }

    private static func key(_ index: Int) -> String { "https://images.example.org/\(index).jpeg" }
}

/// Stores beside another writer that does nothing, and after one that has died.
extension DiskRows {
    static let neighbourRows = [
        besideRow("idle", "a second writer that has stored once and does nothing") { folder in
            let other = try await DiskCache.open(configuration(folder))
            try await other.store(Data(), forKey: "other")
            return other
        },
        besideRow("dead", "the folder of a writer that has died") { folder in
            let path = folder.path + "/cache/default/v1/tmp/wdeadbeef"
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
            return nil
        },
    ]

    private static func besideRow(
        _ name: String,
        _ title: String,
        _ makeCompany: @escaping @Sendable (DiskFolder) async throws -> DiskCache?
    ) -> Row {
        Row(
            "disk-store-\(name)",
            "a store of 20 kB among 50,000 entries beside \(title); baseline: alone",
            in: .microseconds,
            .ratioAtMost(1.1)
        ) {
            let alone = try await StoreSide()
            let beside = try await StoreSide()
            let company = try await makeCompany(beside.folder)
            return Contest(
                ours: { count in
                    try await beside.store(count)
                    use(company)
                },
                baseline: { count in try await alone.store(count) }
            )
        }
    }

    private static func configuration(_ folder: DiskFolder) -> DiskCache.Configuration {
        DiskCache.Configuration(
            root: folder.path + "/cache",
            settings: DiskSettings(sizeLimit: 1 << 30, expiry: .never)
        )
    }

    /// A directory that is kept at 50,000 small entries, with a few large ones stored again and again.
    private struct StoreSide: Sendable {
        let folder: DiskFolder
        private let cache: DiskCache
        private let data = Data(repeating: 7, count: 20_000)

        init() async throws {
            let folder = try DiskFolder(in: "/dev/shm", byteCount: 1 << 30, fileCount: 60_000)
            self.folder = folder
            let cache = try await DiskCache.open(DiskRows.configuration(folder))
            self.cache = cache
            try await atOnce(0..<50_000) { try await cache.store(Data(), forKey: "\($0)") }
            _ = try await cache.usage()
        }

        func store(_ count: Int) async throws {
            for index in 0..<count { try await cache.store(data, forKey: "large \(index % 100)") }
        }
    }
}
