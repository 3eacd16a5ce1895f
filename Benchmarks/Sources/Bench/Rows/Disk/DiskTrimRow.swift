import CalotypeCache
import Foundation
import Glibc

extension DiskRows {
    static let trim = Row(
        "disk-trim",
        "trim of 1,000 of 100,000 entries, on disk; raw unlink of 1,000 files as long",
        in: .milliseconds,
        .ratioAtMost(3)
    ) {
        let (share, turnCount) = (1_000, 17)
        let material = try await DiskMaterial(count: 100_000 + turnCount * share, byteCount: 0)
        let cache = material.cache
        let tree = try RawTree(in: material.folder, count: turnCount * share)
        try await material.fill()
        let usage = try await cache.usage()
        let entryByteCount = usage.byteCount / usage.entryCount
        tree.fill(Data(count: entryByteCount))
        // Removing takes another time once the blocks have been written; so all have been.
        sync()
        let rawPlaces = FreshPlaces(turnCount * share)
        return Contest(
            ours: Side(maxCount: 1) { _ in
                let usage = try await cache.usage()
                guard usage.entryCount >= 100_000 else { throw Skipped("it is made for 15 rounds at most") }
                let removed = try await cache.trim(toSize: usage.byteCount - share * entryByteCount)
                precondition(removed.entryCount == share, "a hundredth is trimmed")
            },
            baseline: Side(maxCount: 1) { _ in
                for path in tree.paths[try rawPlaces.next(share)] { RawFiles.remove(path) }
            }
        )
    }
}
