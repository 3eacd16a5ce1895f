import CalotypeCodecs
import CalotypeCore
import CalotypeTesting
import TestSupport
import Testing

@testable import CalotypeCache

/// Tables whose keys clients choose, filled with many keys.
@Suite(.blocking) struct CacheTableLimitTests {
    @Test func `turns are listed only while they run`() async {
        var queue = KeyedQueue<ImageKey, Int>()
        var startedCount = 0
        await ManyKeys.fill { number in
            let turn = KeyedQueue<ImageKey, Int>.Turn.key(ImageKey("\(number)"))
            startedCount += queue.append(number, for: turn).count
            _ = queue.finish(turn)
        }
        #expect(startedCount == ManyKeys.count && queue.isIdle)
        #expect(ManyKeys.byteCount(of: queue) < 1 << 10)
    }

    // URLs and options of a service may have thousands of bytes, and results some tens.
    @Test func `keys that are only known, without a value, count in the limit`() {
        final class Value: Sendable {}
        let limit = 8 << 20
        let cache = MemoryCache<ImageKey, Value>(costLimit: limit, pressureSource: nil)
        for number in 0..<2_000 {
            let key = ImageKey("\(number) \(String(repeating: "n", count: 20_000))")
            cache.insert(Value(), forKey: key, cost: key.entryByteCount)
        }
        #expect(cache.keys.reduce(0) { $0 + $1.rawValue.utf8.count } <= limit * 115 / 100)
    }

    @Test func `a folder's knowledge has the size of its entries`() async {
        var shard = DiskShard()
        let time = Timestamp(nanosecondsSince1970: 0)
        await ManyKeys.fill { number in
            let name = EntryName(key: "\(number)")
            let ticket = shard.staged.stage(.nothing, as: name)
            let identity = FileIdentity(inode: UInt64(number), writtenAt: time)
            let entry = DiskIndexEntry(name: name, byteCount: 10, accessedAt: time, identity: identity)
            shard.didWrite(entry, expiry: .afterWrite(.seconds(60)))
            shard.staged.end(ticket, of: name)
            if shard.didUse(name, at: time, order: time, expiry: .afterWrite(.seconds(60))) {
                _ = shard.uses.beginWriting()
                shard.uses.endWriting()
            }
            let evicted = shard.index.evict(toByteCount: 1_000, count: .max)
            for entry in evicted { shard.didRemove(entry.name) }
        }
        #expect(shard.index.usage.entryCount == 100 && ManyKeys.byteCount(of: shard) < 64 << 10)
    }

    @Test func `the origins of deallocated images are removed`() async throws {
        let (partial, decoder) = (PartialImages(), FakeImageDecoder())
        let data = FakeImageDecoder.data(width: 1, height: 1)
        var (held, largest): ([Image], Int) = ([], 0)
        try await ManyKeys.fill { number in
            let image = try decoder.decode(data, options: DecodeOptions())
            if held.count < 100 { held.append(image) }
            let key = ImageKey("\(number)")
            partial.note(image, .init(key: key, decoding: DecodeOptions(), kind: .still))
            largest = max(largest, partial.count)
        }
        #expect((held.count...2 * held.count + 64).contains(largest))
    }
}
