import CalotypeCache
import CalotypeCodecs
import CalotypeCore
import CalotypeTesting
import FoundationEssentials
import TestMaterial
import TestSupport
import Testing

@Suite(.blocking) struct SharedDecodesTests {
    private let store = FakeByteStore()
    private let decoder = GatedDecoder()
    private let data = FakeImageDecoder.data(width: 4, height: 3)
    /// Queries the stores without changing memory.
    private let passing = CacheQuery(readsMemory: false, fillsMemory: false)

    private func makeCache() -> ImageCache { makeCache(decoder) }

    private func makeCache(_ decoder: some ImageDecoder, maxDecodeConcurrency: Int = 4) -> ImageCache {
        var codecs = CodecRegistry()
        codecs.register(decoder)
        return ImageCache(stores: [store], codecs: codecs, maxDecodeConcurrency: maxDecodeConcurrency)
    }

    private func put(_ data: Data) async throws {
        try await store.store(data, forKey: "k", options: BlobOptions())
    }

    /// Starts concurrent queries; returns when all are running.
    private func start(
        _ count: Int,
        _ cache: ImageCache,
        _ query: CacheQuery,
        waiterCount: Int? = nil
    ) async -> [Task<Image?, any Error>] {
        let tasks = (0..<count).map { _ in Task { try await cache.image(for: "k", query: query).image } }
        while cache.decodeWaiterCount < waiterCount ?? count { await Task.yield() }
        return tasks
    }

    // SDWebImage #3523: successive queries decode the same image repeatedly.
    @Test func `two hundred queries of one stored image decode it once`() async throws {
        let cache = makeCache()
        try await put(data)
        let tasks = (0..<200).map { _ in Task { try await cache.image(for: "k").image } }
        await decoder.reached.wait()
        decoder.released.open()
        var images: Set<ObjectIdentifier> = []
        for task in tasks { images.insert(ObjectIdentifier(try #require(try await task.value))) }
        #expect(images.count == 1)
        #expect(decoder.base.decodeCount == 1)
        #expect(cache.decodeWaiterCount == 0)
    }

    @Test func `queries share a decode even if nothing is cached`() async throws {
        let cache = makeCache()
        try await put(data)
        let tasks = await start(50, cache, passing)
        decoder.released.open()
        for task in tasks { #expect(try await task.value?.size == PixelSize(width: 4, height: 3)) }
        #expect(decoder.base.decodeCount == 1)
        #expect(cache.residentImage(for: "k") == nil)
    }

    @Test func `cancelling a query does not affect the others, even if it started the decode`() async throws {
        let cache = makeCache()
        try await put(data)
        let tasks = await start(3, cache, CacheQuery(preloadsFrames: true))
        for task in tasks.dropLast() { task.cancel() }
        for task in tasks.dropLast() {
            await #expect(throws: CancellationError.self) { try await task.value }
        }
        decoder.released.open()
        #expect(try await tasks[2].value != nil)
        #expect(decoder.base.decodeCount == 1)
        #expect(cache.residentImage(for: "k") != nil)
    }

    @Test func `cancelling the last query stops the decode, and the next one starts anew`() async throws {
        let held = HeldImageDecoder(heedsStop: true)
        let cache = makeCache(held)
        try await put(data)
        let tasks = await start(3, cache, CacheQuery())
        await held.reached.wait()
        for task in tasks { task.cancel() }
        for task in tasks { await #expect(throws: CancellationError.self) { try await task.value } }
        await held.ended.wait()
        #expect(cache.residentImage(for: "k") == nil)
        held.release()
        #expect(try await cache.image(for: "k").image != nil)
        #expect(held.startedCount == 2)
    }

    @Test func `queries that start and cancel at any moment get an image or their cancellation`() async throws
    {
        let held = HeldImageDecoder(heedsStop: true)
        held.release()
        let cache = makeCache(held)
        try await put(data)
        await withTaskGroup { group in
            for number in 0..<500 {
                let task = Task { try await cache.image(for: "k", query: passing).image }
                if number.isMultiple(of: 3) { task.cancel() }
                group.addTask {
                    switch await task.result {
                    case .success(let image): #expect(image != nil)
                    case .failure(let error):
                        #expect(error is CancellationError && number.isMultiple(of: 3))
                    }
                }
            }
        }
        #expect(cache.decodeWaiterCount == 0)
    }

    @Test func `a decode that exceeds its duration releases its queries, and others proceed`() async throws {
        let held = HeldImageDecoder()
        let cache = makeCache(held, maxDecodeConcurrency: 1)
        try await put(data)
        // Usually long enough for the decode to start before its deadline.
        let brief = DecodeOptions(limits: DecodeLimits(maxDuration: .seconds(1)))
        repeat {
            let error = await #expect(throws: DecodeError.self) {
                try await cache.image(for: "k", query: CacheQuery(decoding: brief))
            }
            #expect(error?.code == .timedOut)
        } while held.startedCount == 0
        #expect(cache.statistics.stuckDecodeCount == 1)
        #expect(await cache.codecPool.run { 1 } == 1)
        held.release()
        while cache.statistics.stuckDecodeCount > 0 { await Task.yield() }
        #expect(cache.residentImage(for: "k") == nil)
        #expect(try await cache.image(for: "k").image != nil)
    }

    @Test func `a query of other bytes decodes them, whatever decode is running`() async throws {
        let cache = makeCache()
        try await put(data)
        let old = await start(2, cache, passing)
        try await put(FakeImageDecoder.data(width: 9, height: 9))
        let new = (0..<2).map { _ in Task { try await cache.image(for: "k", query: passing).image } }
        while cache.decodeWaiterCount < 2 { await Task.yield() }
        decoder.released.open()
        for task in old { #expect(try await task.value?.size.width == 4) }
        for task in new { #expect(try await task.value?.size.width == 9) }
    }

    @Test func `a query issued after a store returns the new image and caches it`() async throws {
        let cache = makeCache()
        try await put(data)
        let old = await start(1, cache, CacheQuery())
        try await cache.store(FakeImageDecoder.data(width: 9, height: 9), for: "k")
        let new = Task { try await cache.image(for: "k").image }
        while store.operations.count(where: { $0 == "blob k" }) < 2 { await Task.yield() }
        decoder.released.open()
        #expect(try await old[0].value?.size.width == 4)
        let image = try await new.value
        #expect(image?.size.width == 9)
        #expect(cache.residentImage(for: "k") === image)
    }

    @Test func `queries for different sizes return their sizes`() async throws {
        let cache = makeCache()
        try await put(FakeImageDecoder.data(width: 400, height: 300))
        let tasks = [40, 20].map { width in
            let query = CacheQuery(decoding: DecodeOptions(target: .fit(PixelBox(width: width))))
            return Task { try await cache.image(for: "k", query: query).image?.size.width }
        }
        while cache.decodeWaiterCount < 2 { await Task.yield() }
        decoder.released.open()
        #expect(try await tasks[0].value == 40)
        #expect(try await tasks[1].value == 20)
    }

    @Test func `invalid image bytes fail each query, and the next query tries again`() async throws {
        let cache = makeCache()
        try await put(FakeImageDecoder.data(width: 4, height: 3, suffix: "corrupt"))
        let tasks = await start(3, cache, CacheQuery())
        decoder.released.open()
        for task in tasks { await #expect(throws: DecodeError.self) { try await task.value } }
        #expect(decoder.base.decodeCount == 1)
        try await put(data)
        #expect(try await cache.image(for: "k").image != nil)
    }

    @Test func `a query that waits for a thread finds an image cached meanwhile`() async throws {
        var codecs = CodecRegistry()
        codecs.register(decoder)
        let cache = ImageCache(stores: [store], codecs: codecs, maxDecodeConcurrency: 1)
        try await put(data)
        try await store.store(data, forKey: "other", options: BlobOptions())
        let first = Task { try await cache.image(for: "other").image }
        await decoder.reached.wait()
        let waiting = await start(1, cache, CacheQuery(), waiterCount: 2)
        let image = try FakeImageDecoder().decode(data, options: DecodeOptions())
        cache.storeInMemory(image, for: "k")
        decoder.released.open()
        #expect(try await first.value != nil)
        #expect(try await waiting[0].value === image)
        #expect(decoder.base.decodeCount == 1)
    }
}
