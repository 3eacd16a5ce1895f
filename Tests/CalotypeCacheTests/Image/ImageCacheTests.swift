import CalotypeCache
import CalotypeCodecs
import CalotypeCore
import CalotypeTesting
import FoundationEssentials
import TestSupport
import Testing

@Suite(.blocking) struct ImageCacheTests {
    private struct Refusal: Error, Equatable {}

    private let near = FakeByteStore(name: "near")
    private let far = FakeByteStore(name: "far", isWritable: false)
    private let data = FakeImageDecoder.data(width: 4, height: 3)

    private func makeCache() -> ImageCache {
        var codecs = CodecRegistry()
        codecs.register(FakeImageDecoder())
        return ImageCache(stores: [near, far], codecs: codecs)
    }

    private func image() throws -> Image {
        try FakeImageDecoder().decode(data, options: DecodeOptions())
    }

    @Test func `a miss is not an error`() async throws {
        let answer = try await makeCache().image(for: "k")
        guard case .miss = answer else { Issue.record("\(answer)"); return }
    }

    @Test func `the nearest store serves the image, which is then in memory`() async throws {
        let cache = makeCache()
        try await far.store(data, forKey: "k", options: BlobOptions())
        guard case .store(let image, let name, _) = try await cache.image(for: "k") else {
            Issue.record("not from a store")
            return
        }
        #expect(name == "far")
        #expect(cache.residentImage(for: "k") === image)
        guard case .memory(let again, data: nil) = try await cache.image(for: "k") else {
            Issue.record("not from memory")
            return
        }
        #expect(again === image)
        #expect(near.operations == ["blob k"])
    }

    @Test func `a memory hit includes the bytes on request`() async throws {
        let cache = makeCache()
        try await cache.store(try image(), data: data, for: "k")
        guard
            case .memory(_, let bytes) = try await cache.image(
                for: "k",
                query: CacheQuery(includesData: true)
            )
        else {
            Issue.record("not from memory")
            return
        }
        #expect(bytes == data)
    }

    @Test func `a memory hit has no bytes if the store of the bytes fails`() async throws {
        let cache = makeCache()
        let image = try image()
        try await cache.store(image, data: data, for: "k")
        near.fail(with: Refusal())
        let answer = try await cache.image(for: "k", query: CacheQuery(includesData: true))
        guard case .memory(let found, data: nil) = answer else { Issue.record("\(answer)"); return }
        #expect(found === image)
        #expect(cache.statistics.storeFailureCount == 1)
    }

    @Test func `a failing store does not hide the next one`() async throws {
        let cache = makeCache()
        try await far.store(data, forKey: "k", options: BlobOptions())
        near.fail(with: Refusal())
        #expect(try await cache.contains("k", in: .disk))
        #expect(try await cache.blob(for: "k")?.data == data)
        #expect(try await cache.blobInfo(for: "k")?.byteCount == data.count)
        guard case .store(_, let name, _) = try await cache.image(for: "k") else {
            Issue.record("not from a store")
            return
        }
        #expect(name == "far")
        #expect(cache.statistics.storeFailureCount == 4)
    }

    @Test func `a query cancelled in a store does not query the next`() async throws {
        let cache = makeCache()
        try await far.store(data, forKey: "k", options: BlobOptions())
        near.fail(with: CancellationError())
        await #expect(throws: CancellationError.self) { try await cache.image(for: "k") }
        #expect(far.operations == ["store k"])
        #expect(cache.statistics.storeFailureCount == 0)
    }

    @Test func `a query cancelled before its start queries no store`() async throws {
        let cache = makeCache()
        try await near.store(data, forKey: "k", options: BlobOptions())
        let query = Task {
            while !Task.isCancelled { await Task.yield() }
            return try await cache.image(for: "k")
        }
        query.cancel()
        await #expect(throws: CancellationError.self) { try await query.value }
        #expect(near.operations == ["store k"])
        #expect(cache.statistics.memory.count == 0)
    }

    @Test func `a query cancelled while a store reads neither decodes nor caches`() async throws {
        let (reached, gate, decoder) = (AsyncGate(), AsyncGate(), FakeImageDecoder())
        var codecs = CodecRegistry()
        codecs.register(decoder)
        let hooked = HookedStore(near) { operation in
            guard operation == "blob" else { return }
            reached.open()
            await gate.wait()
        }
        let cache = ImageCache(stores: [hooked, far], codecs: codecs)
        try await near.store(data, forKey: "k", options: BlobOptions())
        let query = Task { try await cache.image(for: "k") }
        await reached.wait()
        query.cancel()
        gate.open()
        await #expect(throws: CancellationError.self) { try await query.value }
        #expect(decoder.decodeCount == 0)
        #expect(cache.statistics.memory.count == 0)
        #expect(far.operations == [])
    }

    @Test func `if no store has the image, the first failure is thrown`() async throws {
        let cache = makeCache()
        near.fail(with: Refusal())
        await #expect(throws: Refusal()) { try await cache.image(for: "k") }
        await #expect(throws: Refusal()) { try await cache.contains("k", in: .disk) }
        await #expect(throws: Refusal()) { try await cache.blob(for: "k") }
    }

    @Test func `a query skips the layers that it excludes`() async throws {
        let cache = makeCache()
        try await cache.store(try image(), data: data, for: "k")
        #expect(
            try await cache.image(for: "k", query: CacheQuery(readsMemory: false, readsStores: false)).image
                == nil
        )
        cache.removeAllFromMemory()
        #expect(try await cache.image(for: "k", query: CacheQuery(readsStores: false)).image == nil)
        #expect(try await cache.image(for: "k", query: CacheQuery(fillsMemory: false)).image != nil)
        #expect(cache.residentImage(for: "k") == nil)
    }

    @Test func `an image is in memory at once, and in the first writable store when storing returns`()
        async throws
    {
        let cache = makeCache()
        let image = try image()
        try await cache.store(image, data: data, for: "k")
        #expect(cache.residentImage(for: "k") === image)
        #expect(near.keys == ["k"])
        #expect(far.keys == [])
        #expect(try await cache.contains("k", in: .disk))
        #expect(try await cache.contains("k", in: .memory))
    }

    @Test func `an image is stored in the given layers only`() async throws {
        let cache = makeCache()
        try await cache.store(try image(), data: data, for: "memory", in: [.memory])
        try await cache.store(try image(), data: data, for: "disk", in: [.disk])
        #expect(near.keys == ["disk"])
        #expect(cache.residentImage(for: "disk") == nil)
        #expect(cache.residentImage(for: "memory") != nil)
    }

    @Test func `a failing store leaves the image in memory and throws`() async throws {
        let cache = makeCache()
        near.fail(with: Refusal())
        let image = try image()
        await #expect(throws: Refusal()) { try await cache.store(image, data: data, for: "k") }
        #expect(cache.residentImage(for: "k") === image)
    }

    @Test func `removing reaches every layer, also after one failed`() async throws {
        let cache = makeCache()
        try await cache.store(try image(), data: data, for: "k")
        try await cache.remove("k", from: [.memory])
        #expect(near.keys == ["k"])
        try await cache.remove("k")
        #expect(near.keys == [])
        near.fail(with: Refusal())
        try await cache.store(try image(), data: data, for: "k", in: [.memory])
        await #expect(throws: Refusal()) { try await cache.removeAll() }
        #expect(cache.residentImage(for: "k") == nil)
    }

    @Test func `usage is the sum of the stores`() async throws {
        let cache = makeCache()
        try await near.store(data, forKey: "a", options: BlobOptions())
        try await far.store(data, forKey: "b", options: BlobOptions())
        #expect(try await cache.usage(of: .disk) == StoreUsage(entryCount: 2, byteCount: data.count * 2))
    }

    @Test func `closing closes every store, also after one failed`() async throws {
        let cache = makeCache()
        near.fail(with: Refusal())
        await #expect(throws: Refusal()) { try await cache.close() }
        #expect(far.isClosed)
    }

    @Test func `without stores the cache holds images in memory only`() async throws {
        let cache = ImageCache(stores: [])
        try await cache.store(try image(), data: data, for: "k")
        #expect(cache.residentImage(for: "k") != nil)
        #expect(try await cache.contains("k", in: .disk) == false)
    }
}
