import CalotypeCache
import CalotypeCodecs
import CalotypeCore
import CalotypeTesting
import FoundationEssentials
import TestMaterial
import TestSupport
import Testing

@Suite(.blocking) struct ImageCacheAnimationTests {
    private let store = FakeByteStore()
    private let decoder = FakeImageDecoder()
    private let animated = FakeImageDecoder.data(width: 4, height: 3, frameCount: 5)
    private let still = FakeImageDecoder.data(width: 4, height: 3)
    private let first = CacheQuery(decoding: DecodeOptions(frames: .first))

    /// The cost of one frame's pixels, and of the data that the fake source and the cache retain beside them.
    private let frameCost = 12
    private let retainedCost = 1000 + ImageKey("k").entryByteCount

    private func makeCache() -> ImageCache {
        var codecs = CodecRegistry()
        codecs.register(decoder)
        return ImageCache(stores: [store], codecs: codecs)
    }

    private func put(_ data: Data) async throws {
        try await store.store(data, forKey: "k", options: BlobOptions())
    }

    private func source(_ answer: CacheResult) -> String {
        switch answer {
        case .memory: "memory"
        case .store: "store"
        case .miss: "miss"
        }
    }

    @Test func `an animated image in memory serves its first frame and is unchanged`() async throws {
        let cache = makeCache()
        try await put(animated)
        let image = try #require(try await cache.image(for: "k").image)
        #expect(image.animation?.frameCount == 5)
        let answer = try await cache.image(for: "k", query: first)
        #expect(source(answer) == "memory")
        #expect(answer.image?.animation == nil)
        #expect(answer.image?.pixels === image.pixels)
        #expect(cache.residentImage(for: "k") === image)
    }

    @Test func `the first frame from a store serves first-frame queries only`() async throws {
        let cache = makeCache()
        try await put(animated)
        #expect(source(try await cache.image(for: "k", query: first)) == "store")
        let again = try await cache.image(for: "k", query: first)
        #expect(source(again) == "memory")
        #expect(again.image?.animation == nil)
        var query = first
        query.requiredKind = .still
        #expect(source(try await cache.image(for: "k", query: query)) == "miss", "its bytes are animated")
        let whole = try await cache.image(for: "k")
        #expect(source(whole) == "store")
        #expect(whole.image?.animation != nil)
        #expect(cache.residentImage(for: "k") === whole.image)
    }

    @Test func `an image decoded for a target serves that target only`() async throws {
        let cache = makeCache()
        try await put(FakeImageDecoder.data(width: 400, height: 300))
        let small = CacheQuery(decoding: DecodeOptions(target: .fit(PixelBox(width: 40, height: 40))))
        #expect(source(try await cache.image(for: "k", query: small)) == "store")
        let again = try await cache.image(for: "k", query: small)
        #expect(source(again) == "memory")
        #expect(again.image?.size == PixelSize(width: 40, height: 30))
        let other = CacheQuery(decoding: DecodeOptions(target: .fit(PixelBox(width: 20, height: 20))))
        #expect(source(try await cache.image(for: "k", query: other)) == "store")
        let whole = try await cache.image(for: "k")
        #expect(source(whole) == "store")
        #expect(whole.image?.size == PixelSize(width: 400, height: 300))
        #expect(source(try await cache.image(for: "k", query: small)) == "memory", "the whole serves all")
    }

    @Test func `records of images evicted from memory do not accumulate`() async throws {
        let cache = makeCache()
        try await put(still)
        for index in 0..<300 {
            let data = FakeImageDecoder.data(width: 40, height: 30)
            try await store.store(data, forKey: "\(index)", options: BlobOptions())
            let query = CacheQuery(decoding: DecodeOptions(target: .fit(PixelBox(width: 4, height: 4))))
            _ = try await cache.image(for: ImageKey("\(index)"), query: query)
            cache.removeAllFromMemory()
        }
        #expect(cache.partialImageCount <= 70)
    }

    @Test func `a still is cached when its first frame is queried`() async throws {
        let cache = makeCache()
        try await put(still)
        let image = try await cache.image(for: "k", query: first).image
        #expect(image != nil)
        #expect(cache.residentImage(for: "k") === image)
    }

    @Test func `frames from a store are decoded before the image is cached, and counted`() async throws {
        let cache = makeCache()
        try await put(animated)
        let image = try await cache.image(for: "k", query: CacheQuery(preloadsFrames: true)).image
        #expect(image?.animation?.areAllFramesLoaded == true)
        #expect(cache.statistics.memory.cost == retainedCost + 5 * frameCost)
    }

    @Test func `frames of an image in memory are decoded, and added to its cost`() async throws {
        let cache = makeCache()
        try await put(animated)
        let image = try #require(try await cache.image(for: "k").image)
        #expect(cache.statistics.memory.cost == retainedCost + frameCost)
        let answer = try await cache.image(for: "k", query: CacheQuery(preloadsFrames: true))
        #expect(source(answer) == "memory")
        #expect(answer.image === image)
        #expect(image.animation?.areAllFramesLoaded == true)
        #expect(cache.statistics.memory.cost == retainedCost + 5 * frameCost)
        #expect(cache.statistics.memory.count == 1)
    }

    @Test func `frames that cannot be decoded are an error, and the image is unchanged`() async throws {
        let cache = makeCache()
        let frames = FakeFrameSource(frameCount: 3, size: PixelSize(width: 4, height: 3), failingIndex: 2)
        let image = frames.image
        try await cache.store(image, for: "k", in: [.memory])
        await #expect(throws: FakeFrameSource.Failure()) {
            _ = try await cache.image(for: "k", query: CacheQuery(preloadsFrames: true))
        }
        #expect(cache.residentImage(for: "k") === image)
        #expect(cache.statistics.memory.cost == retainedCost + frameCost)
    }

    @Test(arguments: CacheQuery.Kind.allCases)
    func `a stored image of the other kind is a miss, and nothing is decoded`(
        kind: CacheQuery.Kind
    ) async throws {
        let cache = makeCache()
        let query = CacheQuery(requiredKind: kind)
        try await put(kind == .animated ? still : animated)
        #expect(source(try await cache.image(for: "k", query: query)) == "miss")
        #expect(decoder.decodeCount == 0)
        #expect(cache.residentImage(for: "k") == nil)
        try await put(kind == .animated ? animated : still)
        #expect(source(try await cache.image(for: "k", query: query)) == "store")
        #expect(source(try await cache.image(for: "k", query: query)) == "memory")
    }

    @Test func `a still in memory is skipped for the animated image in a store`() async throws {
        let cache = makeCache()
        try await put(animated)
        let still = FakeFrameSource(frameCount: 1, size: PixelSize(width: 4, height: 3)).image(at: 0)
        try await cache.store(still, for: "k", in: [.memory])
        let query = CacheQuery(requiredKind: .animated)
        let answer = try await cache.image(for: "k", query: query)
        #expect(source(answer) == "store")
        #expect(cache.residentImage(for: "k") === answer.image)
    }

    @Test func `an animated image serves its first frame when an animated one is required`() async throws {
        let cache = makeCache()
        try await put(animated)
        let query = CacheQuery(requiredKind: .animated, decoding: DecodeOptions(frames: .first))
        for place in ["store", "memory"] {
            let answer = try await cache.image(for: "k", query: query)
            #expect(source(answer) == place)
            #expect(answer.image?.animation == nil)
        }
    }
}
