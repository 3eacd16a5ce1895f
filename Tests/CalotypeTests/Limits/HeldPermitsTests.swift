import CalotypeTesting
import FoundationEssentials
import PipelineSupport
import TestSupport
import Testing

@testable import Calotype
@testable import CalotypeLoading

/// Permits, none of which is held while a store does not respond.
@Suite(.gated) struct HeldPermitsTests {
    /// Starts a load from another origin, and expects it to end.
    private func otherImage(_ pipeline: ImagePipeline) async throws -> Task<Void, any Error> {
        let isDone = SharedState(false)
        let other = try AdmissionBench.request("b.test")
        let task = Task {
            _ = try await pipeline.image(for: other)
            isDone.withLock { $0 = true }
        }
        #expect(await AdmissionBench.eventually { isDone.value })
        return task
    }

    @Test func `a caller that waits for a hung store holds no permit`() async throws {
        let store = HeldByteStore()
        let loader = ScriptedDataLoader(fakeImages(4, 3))
        var configuration = AdmissionBench.configuration(FakeImageDecoder(), stores: [store], loader)
        configuration.workGate = AdmissionGate(maxCount: 1, maxWaitingCount: 100)
        configuration.maxWorkByteCount = 1 << 20
        let pipeline = ImagePipeline(configuration)
        var waiting = try AdmissionBench.request("a.test")
        waiting.waitsForStore = true
        let first = Task { [waiting] in try await pipeline.image(for: waiting) }
        await store.reached.wait()
        let second = try await otherImage(pipeline)
        #expect(pipeline.workload.runningCount == 0)
        store.gate.open()
        _ = try await first.value
        try await second.value
    }

    @Test func `no permit is held while a store is queried for an older entry`() async throws {
        let store = HungContainsStore()
        let loader = ScriptedDataLoader { request, _ in
            .network(
                request.url,
                FakeImageDecoder.data(width: 4, height: 3),
                request.url.host() == "a.test" ? ["Cache-Control": "no-store"] : [:]
            )
        }
        var configuration = AdmissionBench.configuration(FakeImageDecoder(), stores: [store], loader)
        configuration.workGate = AdmissionGate(maxCount: 1, maxWaitingCount: 100)
        let pipeline = ImagePipeline(configuration)
        var request = try AdmissionBench.request("a.test")
        request.httpCaching = .respectsHTTP
        request.cachePolicy.original = .writeOnly
        let first = Task { [request] in try await pipeline.image(for: request) }
        await store.reached.wait()
        let second = try await otherImage(pipeline)
        store.gate.open()
        _ = try await first.value
        try await second.value
    }

    @Test func `reads with a serializer do not wait behind slow decodes`() async throws {
        let (decoder, store) = (HeldImageDecoder(), FakeByteStore())
        let loader = ScriptedDataLoader(fakeImages(4, 3))
        var configuration = AdmissionBench.configuration(decoder, stores: [store], loader)
        configuration.serializer = PlainSerializer()
        let pipeline = ImagePipeline(configuration)
        func request(_ host: String, _ number: Int = 0) throws -> ImageRequest {
            var request = try AdmissionBench.request(host, number)
            request.decoding.limits.maxDuration = .seconds(86_400)
            return request
        }
        let stored = try (0..<40).map { try request("stored.test", $0) }
        for request in stored {
            let data = FakeImageDecoder.data(width: 4, height: 3)
            try await store.store(data, forKey: request.url.absoluteString, options: BlobOptions())
        }
        let slow = try (0..<2).map { try request("slow.test", $0) }.map { request in
            Task { try await pipeline.image(for: request) }
        }
        #expect(await AdmissionBench.eventually { decoder.startedCount == 2 })
        let reads = stored.map { request in Task { try await pipeline.image(for: request) } }
        _ = await AdmissionBench.eventually { pipeline.stages.limits.reading.runningCount == 16 }
        let missing = try request("well.test")
        let miss = Task { try await pipeline.image(for: missing) }
        let isAsked = await AdmissionBench.eventually { loader.requests.contains { $0.url == missing.url } }
        #expect(isAsked, "\(pipeline.stages.limits.reading.runningCount) reads hold their permits")
        decoder.release()
        for task in slow + reads + [miss] { _ = try await task.value }
    }

    @Test func `pixels of variants are not held while their store hangs`() async throws {
        let (store, encoder) = (HeldByteStore(), TrackingEncoder())
        let loader = ScriptedDataLoader(fakeImages(400, 300))
        var configuration = AdmissionBench.configuration(FakeImageDecoder(), stores: [store], loader)
        configuration.workGate = AdmissionGate(maxCount: 4, maxWaitingCount: 100)
        configuration.maxWorkByteCount = 1 << 20
        let pipeline = ImagePipeline(configuration)
        let tasks = try (0..<20).map { number in
            var request = try AdmissionBench.request("host\(number).test", number)
            request.encoding = ImageEncoding(encoder)
            request.waitsForStore = true
            request.cachePolicy.original = .none
            request.cachePolicy.variantOnDisk = .readWrite
            return Task { [request] in try await pipeline.data(for: request) }
        }
        _ = await AdmissionBench.eventually { encoder.images.value.count == 20 }
        let areFreed = await AdmissionBench.eventually { encoder.liveCount <= 4 }
        let pixels = pipeline.stages.limits.making?.pixels?.heldByteCount ?? -1
        #expect(areFreed, "\(encoder.liveCount) images live, \(pixels) bytes of pixels are counted")
        store.gate.open()
        for task in tasks { _ = try await task.value }
    }
}

private struct PlainSerializer: CacheSerializer {
    var usesDecodedImage: Bool { false }

    func serialize(_ data: Data, for request: ImageRequest) throws -> Data { data }

    func deserialize(_ data: Data, for request: ImageRequest) throws -> Data { data }
}

private struct WeakImage: Sendable {
    weak let image: Image?
}

private struct TrackingEncoder: ImageEncoder {
    let images = SharedState<[WeakImage]>([])

    var format: ImageFormat { .png }
    var cacheIdentity: String { "tracking" }
    var liveCount: Int { images.value.count { $0.image != nil } }

    func encode(_ image: Image) throws(EncodeError) -> Data {
        images.withLock { $0.append(WeakImage(image: image)) }
        return try PNGEncoder().encode(image)
    }

    static func == (left: TrackingEncoder, right: TrackingEncoder) -> Bool { true }

    func hash(into hasher: inout Hasher) {}
}

/// A store that hangs when it is queried for an entry.
private struct HungContainsStore: ForwardingByteStore {
    let base = FakeByteStore()
    let gate = AsyncGate()
    let reached = AsyncGate()

    func contains(_ key: String) async throws -> Bool {
        reached.open()
        await gate.wait()
        return try await base.contains(key)
    }
}
