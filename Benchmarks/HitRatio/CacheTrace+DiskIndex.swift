import CalotypeCache
import CalotypeCore
import TestMaterial

extension CacheTrace {
    /// Plays the trace through the disk cache's index: what is not found is inserted, and what is over the
    /// limit leaves by the disk's own policy, down to 95 %.
    func diskHitRatios(capacity: Int) -> HitRatios {
        let names = sizes.indices.map { EntryName(key: String($0)) }
        var index = DiskIndex(policy: LRUDiskPolicy())
        var (hits, hitBytes, bytes) = (0, 0, 0)
        for (moment, key) in requests.enumerated() {
            let (name, time) = (names[key], Timestamp(nanosecondsSince1970: Int64(moment)))
            bytes += sizes[key]
            if index.entry(name) != nil {
                hits += 1
                hitBytes += sizes[key]
                index.touch(name, at: time)
            } else if sizes[key] <= capacity {
                let identity = FileIdentity(inode: UInt64(key), writtenAt: time)
                index.insert(
                    DiskIndexEntry(name: name, byteCount: sizes[key], accessedAt: time, identity: identity)
                )
                guard index.byteCount > capacity else { continue }
                _ = index.evict(toByteCount: capacity - capacity / 20, count: .max)
            }
        }
        return HitRatios(
            object: Double(hits) / Double(max(1, requests.count)),
            byte: Double(hitBytes) / Double(max(1, bytes))
        )
    }
}
