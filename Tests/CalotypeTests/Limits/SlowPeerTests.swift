import CalotypeTesting
import FoundationEssentials
import PipelineSupport
import TestMaterial
import TestSupport
import Testing

@testable import Calotype
@testable import CalotypeLoading

/// Peers that hang, beside one that does not.
@Suite(.gated) struct SlowPeerTests {
    private static let mebibyte = 1 << 20
    private static let healthy = FakeImageDecoder.data(width: 7, height: 3)

    private let gate = AsyncGate()
    private let time = ManualTimeSource()

    private func pipeline(
        stores: [any ByteStore] = [],
        _ change: (inout ImagePipeline.Configuration) -> Void = { _ in },
        script: @escaping ScriptedDataLoader.Script
    ) -> ImagePipeline {
        var codecs = CodecRegistry.standard
        codecs.register(FakeImageDecoder())
        let cache = ImageCache(stores: stores, codecs: codecs, maxDecodeConcurrency: 2)
        let loader = ScriptedDataLoader { request, number in
            guard request.url.host() != "well.test" else { return .network(request.url, Self.healthy) }
            return try await script(request, number)
        }
        var configuration = ImagePipeline.Configuration(cache: cache, loader: loader)
        configuration.maxByteCountInFlight = 16 * Self.mebibyte
        configuration.timeSource = time
        change(&configuration)
        return ImagePipeline(configuration)
    }

    private func request(_ host: String, _ number: Int = 0) throws -> ImageRequest {
        ImageRequest(url: try #require(URL(string: "https://\(host)/\(number).fake")))
    }

    private func begun(_ requests: [ImageRequest], in pipeline: ImagePipeline) -> [Task<Image, any Error>] {
        requests.map { request in Task { try await pipeline.image(for: request) } }
    }

    private func end(_ tasks: [Task<Image, any Error>]) async {
        for task in tasks { task.cancel() }
        gate.open()
        for task in tasks { _ = await task.result }
    }

    /// Chunks, then a wait until the gate opens.
    private func body(_ chunks: Int, of byteCount: Int, thenWaits waits: Bool) -> FetchBody {
        FetchBody { [gate] in
            var left = chunks
            return FetchBody.Iterator {
                if left == 0 {
                    if waits { await gate.wait() }
                    return nil
                }
                left -= 1
                return Data(count: byteCount)
            }
        }
    }

    @Test func `bodies that announce much and send little do not delay another host`() async throws {
        let heads = SharedState(0)
        let pipeline = pipeline { request, _ in
            heads.withLock { $0 += 1 }
            return FetchResponse(
                origin: .network,
                url: request.url,
                expectedByteCount: 64 * Self.mebibyte,
                body: body(1, of: 500, thenWaits: true)
            )
        }
        let tasks = begun(try (0..<6).map { try request("slow.test", $0) }, in: pipeline)
        while heads.value < 6 || pipeline.stages.limits.fetching.heldByteCount == 0 { await Task.yield() }
        #expect(try await pipeline.image(for: request("well.test")).size.width == 7)
        #expect(pipeline.stages.limits.fetching.heldByteCount < Self.mebibyte)
        await end(tasks)
    }

    @Test func `large bodies arrive in full beside one that trickles`() async throws {
        let pipeline = pipeline { request, _ in
            let trickles = request.url.host() == "trickle.test"
            let chunks = trickles ? 1 : 16
            return FetchResponse(
                origin: .network,
                url: request.url,
                body: body(chunks, of: Self.mebibyte, thenWaits: trickles)
            )
        }
        let trickling = begun([try request("trickle.test")], in: pipeline)
        while pipeline.stages.limits.fetching.heldByteCount < Self.mebibyte { await Task.yield() }
        let large = begun(try (0..<6).map { try request("large.test", $0) }, in: pipeline)
        // They are not images; the decode error shows that they have arrived in full.
        for task in large {
            let error = await #expect(throws: LoadError.self) { try await task.value }
            #expect(error?.stage == .decode)
        }
        await end(trickling)
    }

    @Test func `a pending revalidation holds no byte budget`() async throws {
        let isHung = SharedState(false)
        let store = FakeByteStore()
        let heads = SharedState(0)
        let stale = FakeImageDecoder.data(width: 4, height: 3) + Data(count: Self.mebibyte)
        let pipeline = pipeline(stores: [store]) { request, _ in
            if isHung.value {
                heads.withLock { $0 += 1 }
                await gate.wait()
            }
            return .network(request.url, stale, ["Cache-Control": "max-age=60", "ETag": "\"1\""])
        }
        var requests = try (0..<40).map { try request("slow.test", $0) }
        for index in requests.indices {
            requests[index].httpCaching = .respectsHTTP
            requests[index].waitsForStore = true
        }
        for request in requests { _ = try await pipeline.image(for: request) }
        isHung.withLock { $0 = true }
        time.advance(by: .seconds(61))
        let tasks = begun(requests, in: pipeline)
        while heads.value < 40 { await Task.yield() }
        #expect(
            (pipeline.stages.limits.fetching.heldByteCount, pipeline.stages.limits.reading.runningCount) == (
                0, 0
            )
        )
        #expect(try await pipeline.image(for: request("well.test")).size.width == 7)
        await end(tasks)
    }

    @Test(arguments: [false, true])
    func `stored bytes are not held in memory during revalidation`(isEncoded: Bool) async throws {
        let isHung = SharedState(false)
        let heads = SharedState(0)
        let store = CountedByteStore()
        let stale = FakeImageDecoder.data(width: 4, height: 3) + Data(count: 100_000)
        let pipeline = pipeline(stores: [store]) { request, _ in
            if isHung.value {
                heads.withLock { $0 += 1 }
                await gate.wait()
            }
            return .network(request.url, stale, ["Cache-Control": "max-age=60", "ETag": "\"1\""])
        }
        let requests = try (0..<10).map { number in
            var request = try request("slow.test", number)
            (request.httpCaching, request.waitsForStore) = (.respectsHTTP, true)
            if isEncoded {
                request.encoding = .png
                request.cachePolicy.variantOnDisk = .readWrite
            }
            return request
        }
        for request in requests {
            _ = isEncoded ? try await pipeline.data(for: request).data.count : 0
            _ = try await pipeline.image(for: request)
        }
        isHung.withLock { $0 = true }
        time.advance(by: .seconds(61))
        let tasks = requests.map { request in
            Task {
                if isEncoded { _ = try await pipeline.data(for: request) }
                return try await pipeline.image(for: request)
            }
        }
        while heads.value < requests.count { await Task.yield() }
        // The last one may just be leaving the function that has read it.
        for _ in 0..<10_000 where store.held.value.count > 0 { await Task.yield() }
        #expect(store.held.value.most > 0)
        #expect(store.held.value.count == 0)
        await end(tasks)
    }

    @Test func `stale bytes revalidated in the background take part of the budget`() async throws {
        let isHung = SharedState(false)
        let stale = FakeImageDecoder.data(width: 4, height: 3) + Data(count: Self.mebibyte)
        let pipeline = pipeline(stores: [FakeByteStore()]) {
            $0.staleAllowance.whileRevalidating = .seconds(86_400)
        } script: { request, _ in
            if isHung.value { await gate.wait() }
            return .network(request.url, stale, ["Cache-Control": "max-age=60", "ETag": "\"1\""])
        }
        var requests = try (0..<40).map { try request("slow\($0).test", $0) }
        for index in requests.indices {
            (requests[index].httpCaching, requests[index].waitsForStore) = (.respectsHTTP, true)
            // Nothing is in memory, so that the bytes are read.
            requests[index].cachePolicy.variant = .none
        }
        for request in requests { _ = try await pipeline.image(for: request) }
        isHung.withLock { $0 = true }
        time.advance(by: .seconds(61))
        for request in requests { #expect(try await pipeline.image(for: request).size.width == 4) }
        #expect(pipeline.stages.limits.validating.heldByteCount <= 6 * Self.mebibyte + 2 * stale.count)
        #expect(pipeline.stages.limits.validating.heldByteCount > 0)
        gate.open()
        await pipeline.untilIdle()
        #expect(pipeline.stages.limits.validating.heldByteCount == 0)
    }

    @Test func `a hanging host takes no work permit`() async throws {
        let heads = SharedState(0)
        let pipeline = pipeline {
            $0.workGate = AdmissionGate(maxCount: 2, maxWaitingCount: 1)
            $0.maxWorkByteCount = Self.mebibyte
        } script: { request, _ in
            heads.withLock { $0 += 1 }
            await gate.wait()
            return .network(request.url, Self.healthy)
        }
        let encoded = try (0..<50).map { number in
            var request = try request("slow.test", number)
            request.encoding = .png
            return request
        }
        let tasks = begun(encoded, in: pipeline)
        while heads.value < 50 { await Task.yield() }
        #expect(pipeline.workload.runningCount == 0 && pipeline.workload.waitingCount == 0)
        var healthy = try request("well.test")
        healthy.encoding = .png
        #expect(try await pipeline.data(for: healthy).info.size.width == 7)
        await end(tasks)
    }

    @Test func `large work leaves a thread to small work`() async throws {
        let decoder = HoldingDecoder(from: 1_000)
        var codecs = CodecRegistry.standard
        codecs.register(decoder)
        let cache = ImageCache(stores: [], codecs: codecs, maxDecodeConcurrency: 2)
        let loader = ScriptedDataLoader { request, _ in
            let side = request.url.host() == "well.test" ? 7 : 6_000
            return .network(request.url, FakeImageDecoder.data(width: side, height: side))
        }
        var configuration = ImagePipeline.Configuration(cache: cache, loader: loader)
        configuration.maxWorkByteCount = 8 << 30
        let pipeline = ImagePipeline(configuration)
        var large = try (0..<4).map { try request("large.test", $0) }
        for index in large.indices { large[index].decoding.limits.maxDuration = .seconds(86_400) }
        let tasks = begun(large, in: pipeline)
        while pipeline.stages.limits.waitingCodecCount < 3 { await Task.yield() }
        for number in 0..<10 {
            #expect(try await pipeline.image(for: request("well.test", number)).size.width == 7)
        }
        #expect(decoder.heldCount.value == 1)
        decoder.gate.open()
        await end(tasks)
    }

    /// A decoder that blocks on images from this width on.
    private struct HoldingDecoder: ForwardingDecoder {
        let base = FakeImageDecoder()
        let width: Int
        let gate = BlockingGate()
        let heldCount = SharedState(0)

        init(from width: Int) {
            self.width = width
        }

        func decode(_ data: Data, options: DecodeOptions) throws(DecodeError) -> Image {
            if try base.info(of: data, limits: options.limits).size.width >= width {
                heldCount.withLock { $0 += 1 }
                gate.wait()
                throw DecodeError(.cancelled, detail: "held")
            }
            return try base.decode(data, options: options)
        }
    }
}
