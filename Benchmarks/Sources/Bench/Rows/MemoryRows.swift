import CalotypeCache
import Foundation
import Synchronization

/// Hits and insertions of the memory cache.
enum MemoryRows {
    static let all = [hitAgainstNSCache, hitAgainstDictionary, hitFromString, insertion]

    private final class Value: Sendable {}

    /// Keys as pipelines make them: 60 bytes, alike but for a few.
    private static func texts(_ count: Int) -> [String] {
        (0..<count).map { index in
            "https://images.example.org/albums/2026/photo-\(100_000_000 + index).jpeg"
        }
    }

    /// An order in which each place is as likely as any other, the same in every run.
    private static func order(_ count: Int, below limit: Int) -> [Int] {
        var state: UInt64 = 0x9E37_79B9_7F4A_7C15
        return (0..<count).map { _ in
            state ^= state << 13
            state ^= state >> 7
            state ^= state << 17
            return Int(state % UInt64(limit))
        }
    }

    /// What a hit is measured on: 10,000 entries, asked for in any order.
    private struct Entries: Sendable {
        let texts = MemoryRows.texts(10_000)
        let order = MemoryRows.order(1 << 16, below: 10_000)
        let value = Value()

        var cache: MemoryCache<ImageKey, Value> {
            let cache = MemoryCache<ImageKey, Value>(costLimit: .max, pressureSource: nil)
            for text in texts { cache.insert(value, forKey: ImageKey(text), cost: 1) }
            return cache
        }

        /// Calls `body` with one entry after the other.
        @inline(__always)
        func repeating(_ count: Int, _ body: (Int) -> Void) {
            for step in 0..<count { body(order[step & 0xFFFF]) }
        }
    }

    private static func hit(_ entries: Entries) -> Work {
        let (cache, keys) = (entries.cache, entries.texts.map { ImageKey($0) })
        return { count in entries.repeating(count) { use(cache[keys[$0]]) } }
    }

    private static func dictionaryHit(_ entries: Entries) -> Work {
        let values = Dictionary(uniqueKeysWithValues: entries.texts.map { ($0, entries.value) })
        let dictionary = LockedDictionary(values)
        return { count in
            entries.repeating(count) { index in use(dictionary.value(forKey: entries.texts[index])) }
        }
    }

    private static let hitAgainstNSCache = Row(
        name: "memory-hit",
        title: "memory hit, key prepared; NSCache object(forKey:)",
        unit: .nanoseconds,
        target: .ratioAtMost(0.1)
    ) {
        let entries = Entries()
        let foundation = FoundationCache(entries.texts)
        for index in entries.texts.indices { foundation.insert(entries.value, at: index, cost: 1) }
        return Contest(ours: hit(entries)) { count in
            entries.repeating(count) { use(foundation.value(at: $0)) }
        }
    }

    private static let hitAgainstDictionary = Row(
        name: "memory-hit-dictionary",
        title: "memory hit, key prepared; locked dictionary",
        unit: .nanoseconds,
        target: .ratioAtMost(0.5)
    ) {
        let entries = Entries()
        return Contest(ours: hit(entries), baseline: dictionaryHit(entries))
    }

    private static let hitFromString = Row(
        name: "memory-hit-string",
        title: "memory hit, key made of its string; locked dictionary",
        unit: .nanoseconds,
        target: .ratioAtMost(1)
    ) {
        let entries = Entries()
        let cache = entries.cache
        return Contest(
            ours: { count in entries.repeating(count) { use(cache[ImageKey(entries.texts[$0])]) } },
            baseline: dictionaryHit(entries)
        )
    }

    /// Each insertion is of a new value under a new key, into a cache that some 16,000 fill.
    private static let insertion = Row(
        name: "memory-insert-evict",
        title: "memory insertion with eviction; NSCache setObject",
        unit: .nanoseconds,
        target: .ratioAtMost(0.02)
    ) {
        let texts = MemoryRows.texts(1 << 17)
        let costs = MemoryRows.order(texts.count, below: 1_000).map { $0 + 1 }
        let costLimit = 16_384 * 500
        let cache = MemoryCache<ImageKey, Value>(costLimit: costLimit, pressureSource: nil)
        let keys = texts.map { ImageKey($0) }
        let foundation = FoundationCache(texts, costLimit: costLimit)
        let (place, foundationPlace) = (Place(keys.count), Place(keys.count))
        let insert: Work = { count in
            for _ in 0..<count {
                let index = place.next()
                cache.insert(Value(), forKey: keys[index], cost: costs[index])
            }
        }
        let insertIntoFoundation: Work = { count in
            for _ in 0..<count {
                let index = foundationPlace.next()
                foundation.insert(Value(), at: index, cost: costs[index])
            }
        }
        // Both are full before anything is timed.
        try await insert(20_000)
        try await insertIntoFoundation(20_000)
        return Contest(ours: insert, baseline: insertIntoFoundation)
    }

    /// What everybody writes first.
    private final class LockedDictionary: Sendable {
        private let values: Mutex<[String: Value]>

        init(_ values: [String: Value]) {
            self.values = Mutex(values)
        }

        func value(forKey key: String) -> Value? { values.withLock { $0[key] } }
    }

    // Unchecked because NSCache, which locks, is not marked as Sendable.
    private final class FoundationCache: @unchecked Sendable {
        private let cache = NSCache<NSString, Value>()
        private let keys: [NSString]

        init(_ texts: [String], costLimit: Int = 0) {
            keys = texts.map { NSString(string: $0) }
            cache.totalCostLimit = costLimit
        }

        func value(at index: Int) -> Value? { cache.object(forKey: keys[index]) }

        func insert(_ value: Value, at index: Int, cost: Int) {
            cache.setObject(value, forKey: keys[index], cost: cost)
        }
    }

    /// Counts through a number of places, over and over.
    private final class Place: Sendable {
        private let index = Atomic(0)
        private let count: Int

        init(_ count: Int) {
            self.count = count
        }

        func next() -> Int { index.wrappingAdd(1, ordering: .relaxed).oldValue % count }
    }
}
