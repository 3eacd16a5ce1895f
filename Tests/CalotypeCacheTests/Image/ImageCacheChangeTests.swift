import CalotypeCache
import CalotypeCodecs
import CalotypeCore
import CalotypeTesting
import FoundationEssentials
import TestSupport
import Testing

/// Query results during changes of keys, and the state afterwards.
@Suite(.blocking) struct ImageCacheChangeTests {
    private let store = FakeByteStore()
    private let reached = AsyncGate()
    private let released = AsyncGate()
    private let old = FakeImageDecoder.data(width: 4, height: 3)
    private let new = FakeImageDecoder.data(width: 9, height: 9)

    private func makeCache(waitingIn operation: String, further: [FakeByteStore] = []) -> ImageCache {
        var codecs = CodecRegistry()
        codecs.register(FakeImageDecoder())
        let hooked = HookedStore(store) { [reached, released] name in
            guard name == operation else { return }
            reached.open()
            await released.wait()
        }
        return ImageCache(stores: [hooked] + further, codecs: codecs)
    }

    private func image(_ data: Data) throws -> Image {
        try FakeImageDecoder().decode(data, options: DecodeOptions())
    }

    private func put(_ data: Data, _ key: String = "k") async throws {
        try await store.store(data, forKey: key, options: BlobOptions())
    }

    @Test func `storing bytes removes the image from memory`() async throws {
        let cache = makeCache(waitingIn: "nothing")
        try await cache.store(try image(old), data: old, for: "k")
        try await cache.store(new, for: "k")
        #expect(cache.residentImage(for: "k") == nil)
        #expect(try await cache.image(for: "k").image?.size.width == 9)
    }

    @Test func `storing an image on disk only removes another one from memory`() async throws {
        let cache = makeCache(waitingIn: "nothing")
        try await cache.store(try image(old), data: old, for: "k")
        let newer = try image(new)
        try await cache.store(newer, data: new, for: "k", in: [.disk])
        #expect(cache.residentImage(for: "k") == nil)
        cache.storeInMemory(newer, for: "k")
        try await cache.store(newer, data: new, for: "k", in: [.disk])
        #expect(cache.residentImage(for: "k") === newer, "it is the same")
    }

    @Test func `a query concurrent with a store does not leave the old image in memory`() async throws {
        let cache = makeCache(waitingIn: "store")
        try await put(old)
        let storing = Task.immediate { try await cache.store(new, for: "k") }
        await reached.wait()
        #expect(try await cache.image(for: "k").image?.size.width == 4, "the new bytes are not there yet")
        released.open()
        try await storing.value
        #expect(cache.residentImage(for: "k") == nil)
        #expect(try await cache.image(for: "k").image?.size.width == 9)
    }

    @Test func `a query that bypasses memory does not replace an image being stored`() async throws {
        let cache = makeCache(waitingIn: "store")
        try await put(old)
        let newer = try image(new)
        let storing = Task.immediate { try await cache.store(newer, data: new, for: "k") }
        await reached.wait()
        _ = try await cache.image(for: "k", query: CacheQuery(readsMemory: false))
        #expect(cache.residentImage(for: "k") === newer)
        released.open()
        try await storing.value
    }

    @Test func `an image being removed is not found, nor put back into memory`() async throws {
        let cache = makeCache(waitingIn: "removeBlob")
        try await put(old)
        let removal = Task.immediate { try await cache.remove("k") }
        await reached.wait()
        #expect(try await cache.image(for: "k").image == nil)
        #expect(try await !cache.contains("k", in: .disk))
        #expect(try await cache.blob(for: "k") == nil)
        #expect(try await cache.blobInfo(for: "k") == nil)
        released.open()
        try await removal.value
        #expect(cache.residentImage(for: "k") == nil)
    }

    @Test func `during removeAll only read-only stores have hits`() async throws {
        let bundle = FakeByteStore(name: "bundle", isWritable: false)
        try await bundle.store(new, forKey: "bundled", options: BlobOptions())
        let cache = makeCache(waitingIn: "removeAll", further: [bundle])
        try await put(old)
        cache.storeInMemory(try image(old), for: "l")
        let clearing = Task.immediate { try await cache.removeAll() }
        #expect(try await cache.image(for: "k").image == nil)
        #expect(try await cache.image(for: "l").image == nil)
        #expect(try await cache.image(for: "bundled").image?.size.width == 9)
        await reached.wait()
        #expect(try await cache.blob(for: "k") == nil)
        released.open()
        try await clearing.value
        #expect(cache.residentImage(for: "bundled") == nil, "a query during the removal caches nothing")
        #expect(store.keys == [])
    }

    @Test func `images that could not be removed are found again`() async throws {
        struct Refusal: Error {}
        let hooked = HookedStore(store) { name in if name == "removeAll" { throw Refusal() } }
        let cache = ImageCache(stores: [hooked])
        try await put(old)
        await #expect(throws: Refusal.self) { try await cache.removeAll() }
        #expect(try await cache.blob(for: "k")?.data == old)
    }

    @Test func `during a filtered removal other keys are stored and found`() async throws {
        let cache = makeCache(waitingIn: "removeBlobs")
        try await put(old)
        try await put(old, "other")
        let removal = Task.immediate { try await cache.removeAll { $0 == "k" } }
        await reached.wait()
        try await cache.store(new, for: "third")
        #expect(store.keys == ["k", "other", "third"])
        #expect(try await cache.image(for: "k").image == nil)
        let image = try await cache.image(for: "other").image
        #expect(cache.residentImage(for: "other") === image)
        #expect(image != nil)
        released.open()
        try await removal.value
        #expect(store.keys == ["other", "third"])
    }

    @Test func `a filtered removal waits for stores issued before it`() async throws {
        let cache = makeCache(waitingIn: "store")
        let storing = Task.immediate { try await cache.store(new, for: "k") }
        await reached.wait()
        let removal = Task.immediate { try await cache.removeAll { $0 == "k" } }
        released.open()
        try await storing.value
        try await removal.value
        #expect(store.keys == [])
    }

    @Test(
        arguments: [
            { (cache: ImageCache) in cache.removeFromMemory("k") }, { cache in cache.removeAllFromMemory() },
            { cache in cache.removeAllFromMemory { $0 == "k" } },
        ] as [@Sendable (ImageCache) -> Void]
    )
    func `an image removed from memory during a read does not come back`(
        remove: @Sendable (ImageCache) -> Void
    ) async throws {
        let cache = makeCache(waitingIn: "blob")
        try await put(old)
        let query = Task.immediate { try await cache.image(for: "k").image }
        await reached.wait()
        remove(cache)
        released.open()
        #expect(try await query.value != nil)
        #expect(cache.residentImage(for: "k") == nil)
    }

    @Test func `an image put into memory during another read stays`() async throws {
        let cache = makeCache(waitingIn: "blob")
        try await put(old)
        let query = Task.immediate { try await cache.image(for: "k").image }
        await reached.wait()
        let newer = try image(new)
        cache.storeInMemory(newer, for: "k")
        released.open()
        _ = try await query.value
        #expect(cache.residentImage(for: "k") === newer)
    }

    @Test func `removing one key from memory does not affect queries of another`() async throws {
        let cache = makeCache(waitingIn: "blob")
        try await put(old)
        let query = Task.immediate { try await cache.image(for: "k").image }
        await reached.wait()
        cache.removeAllFromMemory { $0 == "other" }
        released.open()
        let image = try await query.value
        #expect(image != nil)
        #expect(cache.residentImage(for: "k") === image)
    }
}
