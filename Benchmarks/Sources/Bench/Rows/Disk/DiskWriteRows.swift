import CalotypeCache
import Foundation

/// Writing and removing single entries, each of them a new one.
extension DiskRows {
    static let writeRows = [store, storeAwaited, durableStore, removal]

    /// Rounds that there are entries for, with some for counting.
    static let turnCount = 34

    /// The cache has one thread, and 32 tasks store at once, so that the thread never waits to be woken: the
    /// work of a store on the thread that does it.
    private static let store = Row(
        "disk-store",
        "disk store, 20 kB, on disk, 32 tasks, one thread; raw create, write, rename on one thread",
        in: .microseconds,
        .ratioAtMost(1.3)
    ) {
        try await stores(count: 500) {
            $0.maxConcurrency = 1
        } work: {
            try await $0.fill($1)
        }
    }

    private static let storeAwaited = Row(
        "disk-store-await",
        "the same, one after the other",
        in: .microseconds
    ) {
        try await stores(count: 500, work: storeInTurn)
    }

    private static let durableStore = Row(
        "disk-store-powerloss",
        "durable store, 20 kB, on disk; raw create, write, fsync, rename, fsync of the folder",
        in: .microseconds,
        .ratioAtMost(1.3)
    ) {
        try await stores(count: 50, isDurable: true, work: storeInTurn)
    }

    static func storeInTurn(_ material: DiskMaterial, _ places: Range<Int>) async throws {
        for key in material.keys[places] { try await material.cache.store(material.data, forKey: key) }
    }

    private static func stores(
        count: Int,
        isDurable: Bool = false,
        change: (inout DiskCache.Configuration) -> Void = { _ in },
        work: @escaping @Sendable (DiskMaterial, Range<Int>) async throws -> Void
    ) async throws -> Contest {
        let placeCount = turnCount * count
        let material = try await DiskMaterial(count: placeCount, byteCount: 20_000) {
            $0.durability = isDurable ? .powerLoss : .processCrash
            change(&$0)
        }
        let tree = try RawTree(in: material.folder, count: placeCount)
        let (places, rawPlaces) = (FreshPlaces(placeCount), FreshPlaces(placeCount))
        // The cache has made its 256 folders when it is timed.
        try await work(material, places.next(count))
        return Contest(
            ours: Side(maxCount: count) { try await work(material, places.next($0)) },
            baseline: Side(maxCount: count) { count in
                for place in try rawPlaces.next(count) {
                    tree.store(material.data, at: place, isDurable: isDurable)
                }
            }
        )
    }

    private static let removal = Row(
        "disk-remove",
        "disk removal, 20 kB, on disk, 32 tasks, one thread; raw unlink on one thread",
        in: .microseconds,
        .ratioAtMost(1.5)
    ) {
        let placeCount = turnCount * 250
        let material = try await DiskMaterial(count: placeCount, byteCount: 20_000) { $0.maxConcurrency = 1 }
        let (cache, keys) = (material.cache, material.keys)
        let tree = try RawTree(in: material.folder, count: placeCount)
        try await material.fill()
        tree.fill(material.data)
        let (places, rawPlaces) = (FreshPlaces(placeCount), FreshPlaces(placeCount))
        return Contest(
            ours: Side(maxCount: 250) { count in
                try await atOnce(places.next(count)) { try await cache.removeBlob(forKey: keys[$0]) }
            },
            baseline: Side(maxCount: 250) { count in
                for path in tree.paths[try rawPlaces.next(count)] { RawFiles.remove(path) }
            }
        )
    }
}
