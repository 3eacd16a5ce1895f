import CalotypeCache
import Foundation

/// Reading single entries.
extension DiskRows {
    static let readRows = [hit, hitAwaited, miss]

    private static let hit = Row(
        "disk-hit",
        "disk hit, 20 kB, verified, warm, without a hop; raw open, fstat, read, close",
        in: .microseconds,
        .ratioAtMost(1.3)
    ) {
        try await hits()
    }

    /// From an actor, as an application asks: nothing is left to the compiler but the wait itself.
    private static let hitAwaited = Row(
        "disk-hit-await",
        "the same, awaited by an actor; raw open, fstat, read, close",
        in: .microseconds,
        .differenceAtMost(3)
    ) {
        let material = try await DiskMaterial(count: 2_000, byteCount: 20_000)
        try await material.fill()
        let reader = Reader(material)
        return Contest(ours: { try await reader.read($0) }, baseline: rawReads(material))
    }

    private actor Reader {
        private let material: DiskMaterial

        init(_ material: DiskMaterial) {
            self.material = material
        }

        func read(_ count: Int) async throws {
            let (cache, keys) = (material.cache, material.keys)
            for index in material.indices(count) {
                guard let blob = try await cache.blob(forKey: keys[index]) else {
                    preconditionFailure("every entry is there")
                }
                use(blob)
            }
        }
    }

    private static func hits() async throws -> Contest {
        let material = try await DiskMaterial(count: 2_000, byteCount: 20_000)
        try await material.fill()
        let (cache, keys) = (material.cache, material.keys)
        return Contest(
            ours: { count in
                for index in material.indices(count) {
                    guard let blob = try await cache.blob(forKey: keys[index]) else {
                        preconditionFailure("every entry is there")
                    }
                    use(blob)
                }
            },
            baseline: rawReads(material)
        )
    }

    /// Reads the very files of the entries.
    private static func rawReads(_ material: DiskMaterial) -> Work {
        let paths = material.keys.map { material.cache.path(forKey: $0) }
        return { count in for index in material.indices(count) { RawFiles.read(paths[index]) } }
    }

    private static let miss = Row(
        "disk-miss",
        "disk miss; raw open that fails",
        in: .microseconds,
        .differenceAtMost(3)
    ) {
        let material = try await DiskMaterial(count: 2_000, byteCount: 1)
        let (cache, keys) = (material.cache, material.keys)
        // The folders are there, and a hit has been served, as in any cache that has been used.
        try await material.fill()
        _ = try await cache.blob(forKey: keys[0])
        try await cache.removeAll()
        let paths = keys.map { cache.path(forKey: $0) }
        return Contest(
            ours: { count in
                for index in material.indices(count) { use(try await cache.blob(forKey: keys[index])) }
            },
            baseline: { count in for index in material.indices(count) { RawFiles.miss(paths[index]) } }
        )
    }
}
