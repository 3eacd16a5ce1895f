import CalotypeCache
import CalotypeCodecs
import CalotypeCore
import CalotypeTesting
import FoundationEssentials
import TestMaterial
import TestSupport
import Testing

@Suite(.blocking) struct ImageCacheOrderTests {
    private struct GatedEncoder: ImageEncoder {
        let reached: AsyncGate
        let released: BlockingGate
        var format: ImageFormat { FakeImageDecoder.format }
        var cacheIdentity: String { "gated" }

        func encode(_ image: Image) throws(EncodeError) -> Data {
            reached.open()
            released.wait()
            return FakeImageDecoder.data(width: image.size.width, height: image.size.height)
        }

        static func == (left: GatedEncoder, right: GatedEncoder) -> Bool { left.reached === right.reached }
        func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(reached)) }
    }

    private let store = FakeByteStore()
    private let reached = AsyncGate()
    private let released = BlockingGate()
    private let data = FakeImageDecoder.data(width: 4, height: 3)

    private func makeCache() -> ImageCache {
        var codecs = CodecRegistry()
        codecs.register(GatedDecoder(reached: reached, released: released))
        codecs.register(GatedEncoder(reached: reached, released: released))
        return ImageCache(stores: [store], codecs: codecs)
    }

    private func image() throws -> Image {
        try FakeImageDecoder().decode(data, options: DecodeOptions())
    }

    @Test func `removing an image during its encoding leaves nothing behind`() async throws {
        let cache = makeCache()
        let image = try image()
        let storing = Task.immediate { try await cache.store(image, for: "k") }
        await reached.wait()
        let removal = Task.immediate { try await cache.remove("k") }
        released.open()
        try await storing.value
        try await removal.value
        #expect(store.keys == [])
        #expect(store.operations.suffix(2) == ["store k", "remove k"])
        #expect(cache.residentImage(for: "k") == nil)
    }

    @Test func `clearing waits for an image being encoded, and other stores do not`() async throws {
        let cache = makeCache()
        let image = try image()
        let storing = Task.immediate { try await cache.store(image, for: "k") }
        await reached.wait()
        try await cache.store(data, for: "other")
        #expect(store.keys == ["other"])
        let clearing = Task.immediate { try await cache.removeAll() }
        released.open()
        try await storing.value
        try await clearing.value
        #expect(store.keys == [])
    }

    @Test func `bytes stored after an image being encoded are retained`() async throws {
        let cache = makeCache()
        let image = try image()
        let first = Task.immediate { try await cache.store(image, for: "k") }
        await reached.wait()
        let later = FakeImageDecoder.data(width: 9, height: 9)
        let second = Task.immediate { try await cache.store(later, for: "k") }
        released.open()
        try await first.value
        try await second.value
        #expect(try await store.blob(forKey: "k")?.data == later)
    }

    @Test func `closing writes an image that is still being encoded`() async throws {
        let cache = makeCache()
        let image = try image()
        let storing = Task.immediate { try await cache.store(image, for: "k") }
        await reached.wait()
        let closing = Task.immediate { try await cache.close() }
        released.open()
        try await storing.value
        try await closing.value
        #expect(store.keys == ["k"])
        #expect(store.isClosed)
    }

    @Test func `a query that decodes while its key is removed does not restore the image`() async throws {
        let cache = makeCache()
        try await store.store(data, forKey: "k", options: BlobOptions())
        let query = Task.immediate { try await cache.image(for: "k").image }
        await reached.wait()
        try await cache.remove("k")
        released.open()
        #expect(try await query.value != nil)
        #expect(cache.residentImage(for: "k") == nil)
    }

    @Test func `a query that decodes while its key is stored does not replace the newer image`()
        async throws
    {
        let cache = makeCache()
        try await store.store(data, forKey: "k", options: BlobOptions())
        let query = Task.immediate { try await cache.image(for: "k").image }
        await reached.wait()
        let newer = try image()
        try await cache.store(newer, data: data, for: "k")
        released.open()
        _ = try await query.value
        #expect(cache.residentImage(for: "k") === newer)
    }

    @Test func `preparing for suspension trims memory on request, and flushes the stores`() async throws {
        let cache = makeCache()
        try await cache.store(try image(), data: data, for: "a")
        try await cache.store(try image(), data: data, for: "b")
        try await cache.prepareForSuspension()
        #expect(cache.statistics.memory.count == 2)
        #expect(store.operations.last == "flush")
        let cost = 12 + ImageKey("a").entryByteCount
        try await cache.prepareForSuspension(maxMemoryCost: cost)
        #expect(try await cache.usage(of: .memory) == StoreUsage(entryCount: 1, byteCount: cost))
        #expect(store.keys == ["a", "b"])
    }
}
