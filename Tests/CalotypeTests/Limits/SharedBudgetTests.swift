import CalotypeTesting
import FoundationEssentials
import PipelineSupport
import TestMaterial
import TestSupport
import Testing

@testable import Calotype
@testable import CalotypeLoading

/// Budgets of originals that several callers decode or that a store contains.
@Suite(.gated) struct SharedBudgetTests {
    private static func pipeline(
        _ decoder: some ImageDecoder,
        stores: [any ByteStore] = [],
        _ loader: ScriptedDataLoader
    ) -> ImagePipeline {
        var codecs = CodecRegistry()
        codecs.register(decoder)
        let cache = ImageCache(stores: stores, codecs: codecs, maxDecodeConcurrency: 2)
        return ImagePipeline(ImagePipeline.Configuration(cache: cache, loader: loader))
    }

    @Test func `bytes decoded by two callers count until the second decode has ended`() async throws {
        let gate = AsyncGate()
        let decoder = SecondHeldDecoder()
        let pipeline = Self.pipeline(
            decoder,
            ScriptedDataLoader { request, _ in
                await gate.wait()
                return .network(request.url, FakeImageDecoder.data(width: 40, height: 30))
            }
        )
        let tasks = try [20, 10].map { width in
            let request = try AdmissionBench.request("shared.test", width: width)
            return Task { try await pipeline.image(for: request) }
        }
        while pipeline.loads.originals.waiterCount < 2 { await Task.yield() }
        gate.open()
        await decoder.held.reached.wait()
        while pipeline.loads.variants.waiterCount > 1 { await Task.yield() }
        #expect(pipeline.stages.limits.fetching.heldByteCount > 0)
        decoder.held.release()
        for task in tasks { _ = try await task.value }
        await pipeline.untilIdle()
        #expect(pipeline.stages.limits.fetching.heldByteCount == 0)
    }

    @Test func `slow decodes of stored originals do not delay a load of another image`() async throws {
        let (decoder, reached) = (HeldImageDecoder(), AsyncGate())
        let store = FakeByteStore()
        let pipeline = Self.pipeline(
            decoder,
            stores: [store],
            ScriptedDataLoader { request, _ in
                if request.url.host() == "well.test" { reached.open() }
                return .network(request.url, FakeImageDecoder.data(width: 4, height: 3))
            }
        )
        let requests = try (0..<40).map { try AdmissionBench.request("stored.test", $0) }
        for request in requests {
            try await store.store(
                FakeImageDecoder.data(width: 4, height: 3),
                forKey: request.url.absoluteString,
                options: BlobOptions()
            )
        }
        let stored = requests.map { request in Task { try await pipeline.image(for: request) } }
        while pipeline.stages.limits.stored.heldByteCount < 40 * 8 { await Task.yield() }
        let well = try AdmissionBench.request("well.test")
        let load = Task { try await pipeline.image(for: well) }
        await reached.wait()
        decoder.release()
        for task in stored + [load] { #expect(try await task.value.size.width == 4) }
        await pipeline.untilIdle()
        #expect(pipeline.stages.limits.stored.heldByteCount == 0)
    }

    @Test func `stored originals beyond their budget wait without holding their bytes`() async throws {
        let (decoder, store) = (HeldImageDecoder(), CountedByteStore())
        var codecs = CodecRegistry()
        codecs.register(decoder)
        let cache = ImageCache(stores: [store], codecs: codecs, maxDecodeConcurrency: 2)
        let loader = ScriptedDataLoader { request, _ in .network(request.url, Data()) }
        var configuration = ImagePipeline.Configuration(cache: cache, loader: loader)
        configuration.maxByteCountInFlight = 1 << 20
        let pipeline = ImagePipeline(configuration)
        let requests = try (0..<20).map { try AdmissionBench.request("host\($0).test", $0) }
        for request in requests {
            let data = FakeImageDecoder.data(width: 4, height: 3) + Data(count: 100_000)
            try await store.store(data, forKey: request.url.absoluteString, options: BlobOptions())
        }
        let tasks = requests.map { request in Task { try await pipeline.image(for: request) } }
        // A quarter of the budget is for stored originals; two may exceed it.
        while pipeline.stages.limits.stored.waitingCount < 16 { await Task.yield() }
        for _ in 0..<10_000 where store.held.value.count > 4 { await Task.yield() }
        #expect(store.held.value.count <= 4)
        decoder.release()
        for task in tasks { #expect(try await task.value.size.width == 4) }
    }

    @Test func `a smaller size is decoded after the full size has exceeded the memory limit`() async throws {
        let decoder = GreedyDecoder(maxWidth: 10)
        let loader = ScriptedDataLoader(fakeImages(40, 30))
        let pipeline = Self.pipeline(decoder, stores: [FakeByteStore()], loader)
        for _ in 0..<2 {
            let error = await #expect(throws: LoadError.self) {
                try await pipeline.image(for: try AdmissionBench.request("large.test"))
            }
            #expect((error?.underlying as? DecodeError)?.code == .memoryExceeded)
        }
        #expect(decoder.decodeCount.value == 1)
        #expect(
            try await pipeline.image(for: AdmissionBench.request("large.test", width: 10)).size.width == 10
        )
        #expect(loader.requests.count == 1, "the store has the original")
    }

    @Test func `no third size is decoded after two sizes have exceeded the memory limit`() async throws {
        let decoder = GreedyDecoder(maxWidth: 0)
        let loader = ScriptedDataLoader(fakeImages(40, 30))
        let pipeline = Self.pipeline(decoder, stores: [FakeByteStore()], loader)
        for width in [30, 20, 10, 5] {
            let error = await #expect(throws: LoadError.self) {
                try await pipeline.image(for: try AdmissionBench.request("large.test", width: width))
            }
            #expect((error?.underlying as? DecodeError)?.code == .memoryExceeded)
        }
        #expect(decoder.decodeCount.value == 2)
    }
}

/// A decoder that blocks the second decode and all later ones.
private struct SecondHeldDecoder: ForwardingDecoder {
    let held = HeldImageDecoder()
    let base = FakeImageDecoder()
    private let count = SharedState(0)

    func decode(_ data: Data, options: DecodeOptions) throws(DecodeError) -> Image {
        let number = count.withLock { count in
            count += 1
            return count
        }
        return number == 1
            ? try base.decode(data, options: options) : try held.decode(data, options: options)
    }
}
