import CalotypeSupport
import CalotypeTesting
import FoundationEssentials
import PipelineSupport
import TestSupport
import Testing

@testable import Calotype

/// Bytes that loads hold while decoders or stores are slow.
@Suite(.gated) struct BytesInFlightTests {
    private static let mebibyte = 1 << 20
    private static let chunk = 64 << 10

    private static func url(_ number: Int) throws -> URL {
        try #require(URL(string: "https://example.org/\(number).fake"))
    }

    private static func picture(_ byteCount: Int) -> Data {
        FakeImageDecoder.data(width: 4, height: 3) + Data(count: byteCount)
    }

    private static func configuration(
        _ loader: any DataLoader,
        decoder: any ImageDecoder = FakeImageDecoder(),
        stores: [any ByteStore] = []
    ) -> ImagePipeline.Configuration {
        var codecs = CodecRegistry.standard
        codecs.register(decoder)
        let memory = ImageCache.Memory(costLimit: 0)
        let cache = ImageCache(memory: memory, stores: stores, codecs: codecs, maxDecodeConcurrency: 1)
        var configuration = ImagePipeline.Configuration(cache: cache, loader: loader)
        configuration.maxByteCountInFlight = 16 * mebibyte
        return configuration
    }

    @Test(arguments: [true, false])
    func `a slow decoder stops reading bodies at the byte budget`(isLengthKnown: Bool) async throws {
        let chunks = SharedState(0)
        let picture = Self.picture(Self.mebibyte)
        let loader = ScriptedDataLoader { request, _ in
            let body = FetchBody {
                var rest = picture
                return FetchBody.Iterator {
                    defer { rest = rest.dropFirst(Self.chunk) }
                    if !rest.isEmpty { chunks.withLock { $0 += 1 } }
                    return rest.isEmpty ? nil : Data(rest.prefix(Self.chunk))
                }
            }
            let count = isLengthKnown ? picture.count : nil
            return FetchResponse(origin: .network, url: request.url, expectedByteCount: count, body: body)
        }
        let decoder = HeldImageDecoder()
        let pipeline = ImagePipeline(Self.configuration(loader, decoder: decoder))
        let tasks = try (0..<60).map { number in
            var request = ImageRequest(url: try Self.url(number))
            request.decoding.limits.maxDuration = .seconds(86_400)
            return Task { [request] in try await pipeline.image(for: request) }
        }
        while loader.requests.count < 60 || pipeline.stages.limits.fetching.waitingCount == 0 {
            await Task.yield()
        }
        while pipeline.stages.limits.waitingCodecCount == 0 { await Task.yield() }
        // An origin has half of the budget, and one of its loads may exceed it by its body and one chunk.
        let exceeding = picture.count + Self.chunk
        #expect(pipeline.stages.limits.fetching.heldByteCount <= 6 * Self.mebibyte + exceeding)
        #expect(chunks.value * Self.chunk <= 8 * Self.mebibyte)
        decoder.release()
        for task in tasks { _ = try await task.value }
        #expect(pipeline.stages.limits.fetching.heldByteCount == 0)
    }

    @Test func `a hanging store holds part of the budget and writes beyond it are dropped and reported`()
        async throws
    {
        let failures = FailureCount()
        let store = HeldByteStore()
        let picture = Self.picture(Self.mebibyte)
        let loader = ScriptedDataLoader { request, _ in .network(request.url, picture) }
        var configuration = Self.configuration(loader, stores: [store])
        configuration.observers = [failures]
        let pipeline = ImagePipeline(configuration)
        for number in 0..<40 { _ = try await pipeline.image(for: ImageRequest(url: try Self.url(number))) }
        #expect(pipeline.stages.limits.writing.heldByteCount <= 4 * Self.mebibyte)
        #expect(pipeline.stages.limits.fetching.heldByteCount == 0)
        #expect(failures.count.value == 37)
        store.gate.open()
        await pipeline.untilIdle()
        #expect(store.base.keys.count == 3)
        #expect(pipeline.stages.limits.writing.heldByteCount == 0)
    }

    @Test func `a hanging store holds a limited number of small writes`() async throws {
        let failures = FailureCount()
        let store = HeldByteStore()
        let picture = Self.picture(0)
        let loader = ScriptedDataLoader { request, _ in .network(request.url, picture) }
        var configuration = Self.configuration(loader, stores: [store])
        configuration.observers = [failures]
        let pipeline = ImagePipeline(configuration)
        for number in 0..<1_000 {
            _ = try await pipeline.image(for: ImageRequest(url: try Self.url(number)))
        }
        #expect(failures.count.value > 400)
        store.gate.open()
        await pipeline.untilIdle()
        #expect(pipeline.stages.limits.writing.heldByteCount == 0)
    }

    @Test func `a call that waits for a hanging store does not delay calls that do not wait for it`()
        async throws
    {
        let store = HeldByteStore()
        let picture = Self.picture(5 * Self.mebibyte)
        let loader = ScriptedDataLoader { request, _ in .network(request.url, picture) }
        let pipeline = ImagePipeline(Self.configuration(loader, stores: [store]))
        _ = try await pipeline.image(for: ImageRequest(url: try Self.url(0)))
        let url = try Self.url(1)
        let waiting = Task { try await pipeline.data(for: ImageRequest(url: url, waitsForStore: true)) }
        while pipeline.stages.limits.writing.waitingCount == 0 { await Task.yield() }
        #expect(try await pipeline.image(for: ImageRequest(url: url)).size.width == 4)
        // The call that waits for the store releases them once it has been resumed.
        while pipeline.stages.limits.fetching.heldByteCount > 0 { await Task.yield() }
        var encoded = ImageRequest(url: try Self.url(2), waitsForStore: true)
        encoded.encoding = ImageEncoding(PNGEncoder())
        encoded.cachePolicy.original = .none
        encoded.cachePolicy.variantOnDisk = .readWrite
        let variant = Task { [encoded] in try await pipeline.load(encoded) }
        while pipeline.stages.limits.writing.waitingCount < 2 { await Task.yield() }
        store.gate.open()
        #expect(try await waiting.value.storeFailure == nil)
        #expect(try await variant.value.storeFailure == nil)
        await pipeline.untilIdle()
        #expect(store.base.keys.count == 3)
    }

    @Test func `bytes do not wait for a hanging store longer than their callers`() async throws {
        let store = HeldByteStore()
        let picture = Self.picture(5 * Self.mebibyte)
        let loader = ScriptedDataLoader { request, _ in .network(request.url, picture) }
        let pipeline = ImagePipeline(Self.configuration(loader, stores: [store]))
        _ = try await pipeline.image(for: ImageRequest(url: try Self.url(0)))
        for number in 1..<4 {
            var request = ImageRequest(url: try Self.url(number), waitsForStore: true)
            request.timeout = .milliseconds(200)
            await #expect(throws: (any Error).self) {
                if let failure = try await pipeline.data(for: request).storeFailure { throw failure }
            }
        }
        while pipeline.stages.limits.writing.waitingCount > 0 { await Task.yield() }
        store.gate.open()
        await pipeline.untilIdle()
        #expect(store.base.keys.count == 1)
    }

    /// Loads images, lets them become stale, and loads all again at once with new content at the origin.
    private func replaceAtOnce(_ count: Int, _ change: (inout ImageRequest) -> Void) async throws -> [Int] {
        let isNew = SharedState(false)
        let loader = ScriptedDataLoader { request, _ in
            let picture =
                FakeImageDecoder.data(width: isNew.value ? 8 : 4, height: 3) + Data(count: Self.mebibyte)
            return .network(
                request.url,
                picture,
                ["Cache-Control": "max-age=60", "ETag": "\"\(isNew.value)\""]
            )
        }
        let time = ManualTimeSource()
        var configuration = Self.configuration(loader, stores: [FakeByteStore()])
        configuration.timeSource = time
        configuration.maxByteCountInFlight = 4 * Self.mebibyte
        let pipeline = ImagePipeline(configuration)
        let requests = try (0..<count).map { number in
            var request = ImageRequest(
                url: try Self.url(number),
                httpCaching: .respectsHTTP,
                waitsForStore: true
            )
            change(&request)
            return request
        }
        for request in requests { _ = try await pipeline.image(for: request) }
        isNew.withLock { $0 = true }
        time.advance(by: .seconds(61))
        let tasks = requests.map { request in Task { try await pipeline.image(for: request).size.width } }
        var widths: [Int] = []
        for task in tasks { widths.append(try await task.value) }
        #expect(
            (pipeline.stages.limits.fetching.heldByteCount, pipeline.stages.limits.reading.runningCount) == (
                0, 0
            )
        )
        return widths
    }

    @Test func `originals replaced concurrently do not deadlock on the byte budget`() async throws {
        #expect(try await replaceAtOnce(40) { _ in } == Array(repeating: 8, count: 40))
    }

    @Test func `variants encoded again concurrently do not deadlock on permits`() async throws {
        let widths = try await replaceAtOnce(40) { $0.encoding = ImageEncoding(PNGEncoder()) }
        #expect(widths == Array(repeating: 8, count: 40))
    }

    private struct FailureCount: PipelineObserver {
        let count = SharedState(0)

        func didFailToStore(_ request: ImageRequest, error: LoadError) {
            if error.underlying is StoreBusyError { count.withLock { $0 += 1 } }
        }
    }

    @Test(arguments: [true, false])
    func `a body that times out after waiting for budget is not a failure of its origin`(waits: Bool)
        async throws
    {
        let bench = PipelineBench { request, _ in
            var response = FetchResponse.network(request.url)
            response.expectedByteCount = 1_000
            response.body = FetchBody {
                FetchBody.Iterator { throw FetchError(.timedOut, isRetryable: true, detail: "too late") }
            }
            return response
        }
        let fetching = bench.pipeline.stages.limits.fetching
        let origin = PipelineBench.url.originText
        var leases: [ByteBudget.Lease] = []
        var third: Task<Void, any Error>?
        if waits {
            // Two may exceed the budget; behind a third one the others of its origin wait.
            for name in ["first", "second"] {
                leases.append(try await fetching.lease(1 << 40, of: name, LivePriority()))
            }
            third = Task { try await fetching.lease(1 << 40, of: origin, LivePriority()).end() }
            while fetching.waitingCount < 1 { await Task.yield() }
        }
        let load = Task { try await bench.pipeline.load(bench.request()) }
        if waits {
            while fetching.waitingCount < 2 { await Task.yield() }
            bench.instant.advance(by: .seconds(300))
        }
        for lease in leases { lease.end() }
        try await third?.value
        let error = await #expect(throws: LoadError.self) { try await load.value }
        #expect(error?.code == (waits ? .overloaded : .timedOut))
        let isFailing = bench.pipeline.stages.failures.origins.withLock {
            $0.failure(of: origin, at: bench.instant.now) != nil
        }
        #expect(isFailing == !waits)
        #expect(fetching.heldByteCount == 0)
    }
}
