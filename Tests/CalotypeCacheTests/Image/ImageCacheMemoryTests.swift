import CalotypeCache
import CalotypeCodecs
import CalotypeCore
import CalotypeTesting
import FoundationEssentials
import TestSupport
import Testing

@Suite(.blocking) struct ImageCacheMemoryTests {
    private let store = FakeByteStore()

    private func makeCache() -> ImageCache {
        var codecs = CodecRegistry()
        codecs.register(FakeImageDecoder())
        return ImageCache(disk: store, codecs: codecs, maxDecodeConcurrency: 2)
    }

    private func image(width: Int = 4) throws -> Image {
        let data = FakeImageDecoder.data(width: width, height: 3)
        return try FakeImageDecoder().decode(data, options: DecodeOptions())
    }

    private func put(_ key: String, width: Int = 40, frameCount: Int = 1) async throws {
        let data = FakeImageDecoder.data(width: width, height: 30, frameCount: frameCount)
        try await store.store(data, forKey: key, options: BlobOptions())
    }

    private let small = CacheQuery(decoding: DecodeOptions(target: .fit(PixelBox(width: 4, height: 4))))
    private let memoryOnly = CacheQuery(readsStores: false)

    @Test func `an image is stored in memory without waiting, and in no store`() throws {
        let cache = makeCache()
        let image = try image()
        #expect(cache.storeInMemory(image, for: "k") == .stored(evictedCount: 0))
        #expect(cache.residentImage(for: "k") === image)
        #expect(store.operations == [])
        cache.removeFromMemory("k")
        #expect(cache.residentImage(for: "k") == nil)
    }

    @Test func `limits of memory can change at run time, and evict the excess at once`() throws {
        let cache = makeCache()
        for key in ["a", "b", "c"] { cache.storeInMemory(try image(), for: ImageKey(key)) }
        #expect(cache.statistics.memory.count == 3)
        cache.memoryCountLimit = 2
        #expect(cache.memoryCountLimit == 2)
        #expect(cache.statistics.memory.count == 2)
        let cost = 12 + ImageKey("a").entryByteCount
        cache.memoryCostLimit = cost
        #expect(cache.memoryCostLimit == cost)
        #expect(cache.statistics.memory.cost == cost)
        cache.trimMemory(toCost: 0)
        #expect(cache.statistics.memory.count == 0)
        #expect(cache.storeInMemory(try image(width: 5), for: "large") == .refused)
    }

    @Test func `an image replaces only the one that it was derived from`() throws {
        let memory = ImageCache.Memory(pressureSource: nil)
        let (first, second, third) = (try image(), try image(), try image())
        memory.insert(first, forKey: "k", cost: 1, inPlaceOf: nil)
        memory.insert(second, forKey: "k", cost: 1, inPlaceOf: nil)
        #expect(memory["k"] === first)
        memory.insert(second, forKey: "k", cost: 1, inPlaceOf: first)
        memory.insert(third, forKey: "k", cost: 1, inPlaceOf: first)
        #expect(memory["k"] === second)
        memory.trim(toCost: 0)
        memory.insert(third, forKey: "k", cost: 1, inPlaceOf: nil)
        #expect(memory["k"] === second, "it is still referenced, so the key still finds it")
        memory.removeAll()
        memory.insert(third, forKey: "k", cost: 1, inPlaceOf: second)
        #expect(memory["k"] === third)
        #expect(memory.statistics.insertionCount == 3)
    }

    @Test func `two Unicode spellings of one text are two images`() async throws {
        let (composed, decomposed) = ("caf\u{E9}.jpg", "cafe\u{301}.jpg")
        let cache = makeCache()
        try await put(composed, width: 4)
        try await put(decomposed, width: 9)
        for _ in 0..<2 {
            #expect(try await cache.image(for: ImageKey(composed)).image?.size.width == 4)
            #expect(try await cache.image(for: ImageKey(decomposed)).image?.size.width == 9)
        }
        #expect(cache.statistics.memory.count == 2)
    }

    // An image may get the address of a deallocated one.
    @Test func `a stored image is found, even if its allocation reuses an earlier address`() async throws {
        let cache = makeCache()
        for index in 0..<300 {
            try await put("small", frameCount: 3)
            _ = try await cache.image(for: "small", query: small)
            cache.removeAllFromMemory()
            let key = ImageKey("\(index)")
            cache.storeInMemory(try image(), for: key)
            #expect(try await cache.image(for: key, query: memoryOnly).image != nil)
            let query = CacheQuery(readsStores: false, requiredKind: .animated)
            #expect(try await cache.image(for: key, query: query).image == nil)
            cache.removeAllFromMemory()
        }
    }

    @Test func `a thumbnail stored under its key replaces the full image`() async throws {
        let cache = makeCache()
        try await put("k")
        let thumbnail = try #require(try await cache.image(for: "k", query: small).image)
        #expect(try await cache.image(for: "k", query: memoryOnly).image == nil)
        cache.storeInMemory(thumbnail, for: "k")
        #expect(try await cache.image(for: "k", query: memoryOnly).image === thumbnail)
    }

    @Test func `a thumbnail stored under another key remains a thumbnail`() async throws {
        let cache = makeCache()
        try await put("k")
        let thumbnail = try #require(try await cache.image(for: "k", query: small).image)
        cache.storeInMemory(thumbnail, for: "l")
        #expect(try await cache.image(for: "l", query: memoryOnly).image === thumbnail)
        #expect(try await cache.image(for: "k", query: memoryOnly).image == nil)
        #expect(try await cache.image(for: "k").image?.size.width == 40)
    }

    @Test func `thumbnails that are still referenced stay marked as thumbnails`() async throws {
        let cache = makeCache()
        var held: [Image] = []
        for index in 0..<200 {
            try await put("\(index)")
            held.append(try #require(try await cache.image(for: ImageKey("\(index)"), query: small).image))
        }
        cache.trimMemory(toCost: 0)
        for index in 0..<200 {
            let key = ImageKey("\(index)")
            #expect(try await cache.image(for: key, query: memoryOnly).image == nil)
            #expect(cache.residentImage(for: key) === held[index])
        }
    }

    @Test func `bytes and their info are returned without decoding`() async throws {
        let cache = makeCache()
        let data = Data("no image".utf8)
        try await store.store(data, forKey: "k", options: BlobOptions(metadata: Data([1])))
        #expect(try await cache.blob(for: "k")?.data == data)
        let info = try await cache.blobInfo(for: "k")
        #expect(info?.byteCount == data.count)
        #expect(info?.metadata == Data([1]))
        #expect(try await cache.blob(for: "absent") == nil)
        #expect(try await cache.blobInfo(for: "absent") == nil)
    }

    @Test(arguments: [0, -1]) func `a cache decodes at least one image at a time`(count: Int) async throws {
        var codecs = CodecRegistry()
        codecs.register(FakeImageDecoder())
        let cache = ImageCache(stores: [store], codecs: codecs, maxDecodeConcurrency: count)
        try await put("k")
        #expect(try await cache.image(for: "k").image != nil)
    }

    @Test func `without a disk store the shared cache uses memory only and reports why`() throws {
        let failure = DiskCacheError(.invalidConfiguration, detail: "no home")
        let none = ImageCache.makeStandard { () throws(DiskCacheError) in throw failure }
        #expect(none.cache.stores.isEmpty)
        #expect(none.storeFailure == failure)
        none.cache.storeInMemory(try image(), for: "k")
        #expect(none.cache.residentImage(for: "k") != nil)
        let some = ImageCache.makeStandard { () throws(DiskCacheError) in store }
        #expect(some.cache.stores.count == 1)
        #expect(some.storeFailure == nil)
    }
}
