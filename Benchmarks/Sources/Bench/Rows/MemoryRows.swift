import CalotypeCache
import Foundation
import Synchronization

/// Hits and insertions of the memory cache.
enum MemoryRows {
    static let all =
        [hitAgainstNSCache, hitAgainstDictionary, hitFromString, twoThreads]
        + [("one", 1), ("cores", coreCount), ("four-cores", 4 * coreCount)].map(threads)
        + EvictionPolicyKind.allCases.map(insertion)

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

    /// The entries of hit measurements: 10,000, requested in random order.
    private struct Entries: Sendable {
        let texts = MemoryRows.texts(10_000)
        let order = MemoryRows.order(1 << 16, below: 10_000)
        let value = Value()

        var cache: MemoryCache<ImageKey, Value> {
            let cache = MemoryCache<ImageKey, Value>(costLimit: .max, pressureSource: nil)
            for text in texts { cache.insert(value, forKey: ImageKey(text), cost: 1) }
            return cache
        }

        /// Looks one key after the other up.
        ///
        /// The loop stands on its own so that neither side copies the keys it reads: a program has its key at
        /// hand.
        @inline(never)
        func lookUp<Key>(_ keys: [Key], _ count: Int, _ value: (Key) -> Value?) {
            for step in 0..<count { use(value(keys[order[step & 0xFFFF]])) }
        }
    }

    private static func hit(_ entries: Entries) -> Work {
        let (cache, keys) = (entries.cache, entries.texts.map { ImageKey($0) })
        return { count in entries.lookUp(keys, count) { cache[$0] } }
    }

    private static func dictionaryHit(_ entries: Entries) -> Work {
        let values = Dictionary(uniqueKeysWithValues: entries.texts.map { ($0, entries.value) })
        let dictionary = LockedDictionary(values)
        return { count in entries.lookUp(entries.texts, count) { dictionary.value(forKey: $0) } }
    }

    private static let hitAgainstNSCache = Row(
        "memory-hit",
        "memory hit, key prepared; NSCache object(forKey:)",
        in: .nanoseconds,
        .ratioAtMost(0.1)
    ) {
        let entries = Entries()
        let foundation = FoundationCache(entries.texts)
        let indices = Array(entries.texts.indices)
        for index in indices { foundation.insert(entries.value, at: index, cost: 1) }
        return Contest(ours: hit(entries)) { (count: Int) in
            entries.lookUp(indices, count) { foundation.value(at: $0) }
        }
    }

    private static let hitAgainstDictionary = Row(
        "memory-hit-dictionary",
        "memory hit, key prepared; locked dictionary",
        in: .nanoseconds,
        .ratioAtMost(0.5)
    ) {
        let entries = Entries()
        return Contest(ours: hit(entries), baseline: dictionaryHit(entries))
    }

    private static let hitFromString = Row(
        "memory-hit-string",
        "memory hit, key made of its string; locked dictionary",
        in: .nanoseconds,
        .ratioAtMost(1)
    ) {
        let entries = Entries()
        let cache = entries.cache
        return Contest(
            ours: { count in entries.lookUp(entries.texts, count) { cache[ImageKey($0)] } },
            baseline: dictionaryHit(entries)
        )
    }

    /// Both threads look up in one cache; what is told is the time of a lookup over both.
    private static let twoThreads = Row(
        "memory-hit-two-threads",
        "memory hit, two threads on one cache; one thread on it",
        in: .nanoseconds
    ) {
        let entries = Entries()
        let hit = Self.hit(entries)
        return Contest(
            ours: { count in
                async let half: Void = hit(count / 2)
                try await hit(count - count / 2)
                try await half
            },
            baseline: hit
        )
    }

    private static let coreCount = ProcessInfo.processInfo.activeProcessorCount

    /// Threads of the system look up in one cache, as in a server; what is told is the time of a lookup over
    /// all of them.
    private static func threads(_ name: String, _ threadCount: Int) -> Row {
        Row(
            "memory-hit-threads-\(name)",
            "memory hit, \(threadCount) threads on one cache; the calling one on it",
            in: .nanoseconds,
            .ratioAtMost(2)
        ) {
            let entries = Entries()
            let (cache, keys) = (entries.cache, entries.texts.map { ImageKey($0) })
            let ours: Work = { count in
                await onThreads(threadCount) {
                    entries.lookUp(keys, count / threadCount) { cache[$0] }
                }
            }
            return Contest(ours: ours, baseline: hit(entries))
        }
    }

    /// Does something on each of a number of threads and waits for all of them.
    private static func onThreads(_ count: Int, _ body: @escaping @Sendable () -> Void) async {
        await withTaskGroup { group in
            for _ in 0..<count {
                group.addTask {
                    await withCheckedContinuation { continuation in
                        Thread.detachNewThread {
                            body()
                            continuation.resume()
                        }
                    }
                }
            }
        }
    }

    /// Each insertion is of a new value under a new key, into a cache that some 16,000 fill.
    private static func insertion(_ policy: EvictionPolicyKind) -> Row {
        let isDefault = policy == .default
        return Row(
            isDefault ? "memory-insert-evict" : "memory-insert-evict-\(policy.rawValue)",
            "memory insertion with eviction by \(policy.rawValue); NSCache setObject",
            in: .nanoseconds,
            isDefault ? .ratioAtMost(0.02) : .none
        ) {
            try await insertionContest(policy)
        }
    }

    private static func insertionContest(_ policy: EvictionPolicyKind) async throws -> Contest {
        let texts = texts(1 << 17)
        let costs = order(texts.count, below: 1_000).map { $0 + 1 }
        let costLimit = 16_384 * 500
        let cache = MemoryCache<ImageKey, Value>(costLimit: costLimit, policy: policy, pressureSource: nil)
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
        try await insert(100_000)
        try await insertIntoFoundation(20_000)
        return Contest(ours: insert, baseline: insertIntoFoundation)
    }

    /// The usual first implementation of a cache: a dictionary with a lock.
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
