import CalotypeCache
import CalotypeCore
import CalotypeTesting
import FoundationEssentials
import TestSupport
import Testing

@Suite(.blocking) struct MemoryLevelTests {
    /// A custom memory level: a dictionary with a maximum count.
    private final class Dictionary: MemoryLevel {
        private let images = SharedState<[ImageKey: Image]>([:])
        private let maxCount: Int

        init(maxCount: Int = .max) {
            self.maxCount = maxCount
        }

        var keys: Set<ImageKey> { Set(images.value.keys) }

        func value(forKey key: ImageKey) -> Image? { images.value[key] }

        func insert(_ image: Image, forKey key: ImageKey, cost: Int, expiry: Expiry?) -> Insertion {
            images.withLock { images in
                guard images.count < maxCount else { return .refused }
                images[key] = image
                return .stored(evictedCount: 0)
            }
        }

        func removeValue(forKey key: ImageKey) -> Image? { images.withLock { $0.removeValue(forKey: key) } }

        func removeAll() { images.withLock { $0 = [:] } }

        func removeAll(where isRemoved: (ImageKey) -> Bool) {
            images.withLock { images in images = images.filter { !isRemoved($0.key) } }
        }
    }

    private let picture = TestImages.asymmetric(PixelSize(width: 6, height: 4))

    @Test func `an image cache stores its images in a custom memory level`() async throws {
        let memory = Dictionary()
        let cache = ImageCache(memory: memory, stores: [FakeByteStore()])
        try await cache.store(picture, for: "a")
        #expect(memory.keys == ["a"] && cache.residentImage(for: "a") === picture)
        cache.removeFromMemory("a")
        #expect(memory.keys.isEmpty && cache.residentImage(for: "a") == nil)
        // Loaded from the store again.
        #expect(try await cache.image(for: "a").image?.size == picture.size)
        #expect(memory.keys == ["a"])
        try await cache.remove("a")
        #expect(memory.keys.isEmpty)
    }

    @Test func `an image refused by a custom level is not in memory and not lost`() async throws {
        let memory = Dictionary(maxCount: 0)
        let cache = ImageCache(memory: memory, stores: [FakeByteStore()])
        #expect(cache.storeInMemory(picture, for: "a") == .refused)
        try await cache.store(picture, for: "a")
        #expect(cache.residentImage(for: "a") == nil)
        #expect(try await cache.image(for: "a").image?.size == picture.size)
    }

    @Test func `unimplemented requirements of a custom level have no effect`() async throws {
        let cache = ImageCache(memory: Dictionary())
        cache.storeInMemory(picture, for: "a")
        cache.memoryCostLimit = 1
        cache.memoryCountLimit = 0
        cache.memoryEntryCostLimit = 0
        cache.memoryExpiry = .afterWrite(.seconds(1))
        cache.trimMemory(toCost: 0)
        cache.trimMemory(toCount: 0)
        try await cache.removeExpired()
        #expect(cache.residentImage(for: "a") === picture)
        #expect(
            cache.memoryCostLimit == .max && cache.memoryCountLimit == nil && cache.memoryExpiry == .never
        )
        #expect(cache.memoryEntryCostLimit == nil && cache.statistics.memory.count == 0)
        cache.removeAllFromMemory { $0 == "b" }
        #expect(cache.residentImage(for: "a") === picture)
        cache.removeAllFromMemory { $0 == "a" }
        #expect(cache.residentImage(for: "a") == nil)
    }
}
