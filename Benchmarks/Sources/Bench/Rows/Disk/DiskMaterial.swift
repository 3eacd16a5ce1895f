import CalotypeCache
import Foundation
import Synchronization

/// A cache on a disk, keys, and bytes of one length.
final class DiskMaterial: Sendable {
    let cache: DiskCache
    let keys: [String]
    let data: Data
    let folder: DiskFolder
    private let order: [Int]

    /// Opens a cache without entries, after `change` has had its configuration.
    init(
        count: Int,
        byteCount: Int,
        change: (inout DiskCache.Configuration) -> Void = { _ in }
    ) async throws {
        folder = try DiskFolder(byteCount: max(1 << 30, 3 * count * (byteCount + 8192)), fileCount: 3 * count)
        keys = Self.keys(count)
        data = Self.bytes(byteCount)
        order = Self.order(1 << 14, below: count)
        let settings = DiskSettings(sizeLimit: 1 << 40, expiry: .never)
        var configuration = DiskCache.Configuration(root: folder.path + "/cache", settings: settings)
        change(&configuration)
        cache = try await DiskCache.open(configuration)
    }

    /// Stores the entries of some keys, or of all.
    func fill(_ places: Range<Int>? = nil) async throws {
        let (cache, keys, data) = (cache, keys, data)
        try await atOnce(places ?? keys.indices) { try await cache.store(data, forKey: keys[$0]) }
    }

    /// So many places of keys, in any order.
    func indices(_ count: Int) -> some Sequence<Int> {
        (0..<count).lazy.map { [order] in order[$0 & 0x3FFF] }
    }

    /// Keys as pipelines make them: 60 bytes, alike but for a few.
    private static func keys(_ count: Int) -> [String] {
        (0..<count).map { "https://images.example.org/albums/2026/photo-\(100_000_000 + $0).jpeg" }
    }

    /// Bytes without a pattern, the same in every run.
    private static func bytes(_ count: Int) -> Data {
        Data(order(count, below: 256).map { UInt8($0) })
    }

    /// Numbers in an order in which each is as likely as any other, the same in every run.
    private static func order(_ count: Int, below limit: Int) -> [Int] {
        var state: UInt64 = 0x9E37_79B9_7F4A_7C15
        return (0..<count).map { _ in
            state ^= state << 13
            state ^= state >> 7
            state ^= state << 17
            return Int(state % UInt64(limit))
        }
    }
}

/// Does something for all places, 32 tasks at once, as a program does that loads many pictures.
func atOnce(
    _ places: Range<Int>,
    _ body: @escaping @Sendable (Int) async throws -> Void
) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
        for first in places.prefix(32) {
            group.addTask {
                for place in stride(from: first, to: places.upperBound, by: 32) { try await body(place) }
            }
        }
        try await group.waitForAll()
    }
}

/// Hands out unused places, so that each round begins where the one before has ended.
final class FreshPlaces: Sendable {
    private let taken = Atomic(0)
    private let count: Int

    init(_ count: Int) {
        self.count = count
    }

    func next(_ count: Int) throws -> Range<Int> {
        let start = taken.wrappingAdd(count, ordering: .relaxed).oldValue
        guard start + count <= self.count else { throw Skipped("it is made for 30 rounds at most") }
        return start..<start + count
    }
}
