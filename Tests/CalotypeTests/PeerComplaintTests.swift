import CalotypeTesting
import FoundationEssentials
import PipelineSupport
import TestSupport
import Testing

@testable import Calotype

/// Complaints of users of SDWebImage, Kingfisher and Nuke that no other suite tests.
///
/// Other suites name a complaint beside its test: coalescing, failed URLs, freshness, truncated bodies.
@Suite(.gated)
struct `What users of other libraries complain of` {
    private static let picture = FakeImageDecoder.data(width: 40, height: 30)

    private static func bench(
        _ configure: (inout ImagePipeline.Configuration) -> Void = { _ in }
    ) -> PipelineBench {
        PipelineBench(configure) { fetch, _ in
            await Task.yield()
            return .network(fetch.url, picture)
        }
    }

    // SDWebImage #3834, #3650: cancelling a call that has ended calls back a second time.
    @Test func `cancelling a call that has ended reports no second outcome`() async throws {
        let counter = EndCounter()
        let bench = Self.bench { $0.observers = [counter] }
        let task = Task { try await bench.pipeline.load(bench.request()) }
        _ = try await task.value
        task.cancel()
        #expect(try await task.value.image.size.width == 40)
        #expect(counter.counts == EndCounter.Counts(successes: 1))
    }

    // SDWebImage #3493: N requests for one URL that fails call back N × N times.
    @Test func `a failed shared load reports one failure to each of its callers`() async throws {
        let counter = EndCounter()
        let gate = AsyncGate()
        let bench = PipelineBench({ $0.observers = [counter] }) { _, _ in
            await gate.wait()
            throw FetchError(.connectionLost, isRetryable: true, detail: "a test")
        }
        let tasks = (0..<100).map { _ in Task { try await bench.pipeline.load(bench.request()) } }
        while bench.pipeline.loads.variants.waiterCount < 100 { await Task.yield() }
        gate.open()
        for task in tasks { await #expect(throws: LoadError.self) { try await task.value } }
        #expect(counter.counts == EndCounter.Counts(failures: 100))
        #expect(bench.loader.requests.count == 1)
    }

    // SDWebImage #3475, #3479: a caller that joins a download about to end is never called back.
    // Kingfisher #2444, #2437, #2231: the same, since creating and joining are not one step.
    @Test func `a caller that joins while a load starts or ends gets its image`() async throws {
        let bench = Self.bench()
        for round in 0..<300 {
            let url = PipelineBench.url.appending(path: "\(round)")
            try await withThrowingTaskGroup(of: Int.self) { group in
                for caller in 0..<5 {
                    group.addTask {
                        for _ in 0..<caller * 3 { await Task.yield() }
                        let request = ImageRequest(url: url, cachePolicy: .disabled)
                        return try await bench.pipeline.image(for: request).size.width
                    }
                }
                for try await width in group { #expect(width == 40) }
            }
        }
        await bench.pipeline.untilIdle()
    }

    // SDWebImage decides under a lock that the last caller has left, and cancels outside of it: a caller that
    // joins in between is cancelled too.
    @Test func `a caller that joins while the last caller is cancelled gets its image`() async throws {
        let bench = Self.bench()
        for round in 0..<300 {
            let request = ImageRequest(
                url: PipelineBench.url.appending(path: "\(round)"),
                cachePolicy: .disabled
            )
            let leaving = Task { try await bench.pipeline.load(request) }
            for _ in 0..<round % 12 { await Task.yield() }
            async let joining = bench.pipeline.load(request)
            leaving.cancel()
            #expect(try await joining.image.size.width == 40)
            if case .failure(let error) = await leaving.result { #expect(error is CancellationError) }
        }
    }

    // SDWebImage assigns its download after the start: a cancellation in between leaves it running.
    @Test func `cancelling a call as it starts leaves no load running`() async throws {
        let loader = StressLoader()
        let pipeline = ImagePipeline(.init(cache: ImageCache(), loader: loader))
        let page = StressPage(kind: .stall, index: 0)
        for round in 0..<300 {
            let request = ImageRequest(url: PipelineBench.url.appending(path: "../\(page.path)").standardized)
            let task = Task { try await pipeline.load(request) }
            for _ in 0..<round % 8 { await Task.yield() }
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
        }
        await pipeline.untilIdle()
        while loader.openCount > 0 { await Task.yield() }
    }

    // SDWebImageSwiftUI #123: a small variant is shown for the whole image. SDWebImage #1344: another
    // URL's.
    @Test func `a cached variant is returned only for a request of its own size`() async throws {
        let bench = Self.bench()
        let sizes = [10, nil, 20]
        for _ in 0..<2 {
            for width in sizes {
                let image = try await bench.pipeline.image(for: bench.request(width: width))
                #expect(image.size.width == width ?? 40)
            }
        }
        #expect(bench.loader.requests.count == 1)
    }

    // SDWebImage #3656: thumbnails are never cached in memory. #3217, Nuke #837: each is downloaded again.
    @Test func `a thumbnail is cached in memory and another size needs no download`() async throws {
        let bench = Self.bench()
        #expect(try await bench.pipeline.load(bench.request(width: 20)).source == .network)
        #expect(try await bench.pipeline.load(bench.request(width: 20)).source == .memory)
        #expect(try await bench.pipeline.load(bench.request(width: 10)).source == .disk)
        #expect(bench.loader.requests.count == 1)
    }

    // Nuke #196, #630: a URL whose signature changes is downloaded again each time.
    @Test func `URLs that differ in their signature share an entry and are sent unchanged`() async throws {
        let bench = Self.bench { configuration in
            configuration.sourceIdentity = {
                $0.absoluteString.split(separator: "?").first.map(String.init) ?? ""
            }
        }
        func signed(_ signature: String) -> ImageRequest {
            bench.request { $0.url = URL(string: "https://example.org/a.fake?signature=\(signature)")! }
        }
        #expect(try await bench.pipeline.load(signed("a")).source == .network)
        #expect(try await bench.pipeline.load(signed("b")).source == .memory)
        bench.pipeline.cache.removeAllFromMemory()
        #expect(try await bench.pipeline.load(signed("c")).source == .disk)
        #expect(bench.loader.requests.map(\.url.query) == ["signature=a"])
    }

    // Nuke #148, #152: an image loaded once is not available without a network.
    @Test func `an image on disk is returned without a network`() async throws {
        let bench = PipelineBench { fetch, number in
            guard number == 0 else { throw FetchError(.hostNotFound, isRetryable: true, detail: "offline") }
            return .network(fetch.url, Self.picture)
        }
        _ = try await bench.pipeline.load(bench.request())
        bench.pipeline.cache.removeAllFromMemory()
        #expect(try await bench.pipeline.load(bench.request()).source == .disk)
        await #expect(throws: LoadError.self) {
            try await bench.pipeline.load(bench.request { $0.cachePolicy = .refresh })
        }
        // The failed refresh has removed nothing.
        bench.pipeline.cache.removeAllFromMemory()
        #expect(try await bench.pipeline.load(bench.request(width: 20)).source == .disk)
    }

    // SDWebImage #1376, #1091: an image that has failed does not load after it has become available.
    @Test func `a successful load clears the failure remembered before it`() async throws {
        let bench = PipelineBench { fetch, number in
            guard number > 0 else { throw FetchError(.unacceptableStatus, status: 404, detail: "404") }
            return .network(fetch.url, Self.picture)
        }
        let request = bench.request { $0.cachePolicy = .disabled }
        await #expect(throws: LoadError.self) { try await bench.pipeline.load(request) }
        await #expect(throws: LoadError.self) { try await bench.pipeline.load(request) }
        var again = request
        again.ignoresPastFailure = true
        _ = try await bench.pipeline.load(again)
        _ = try await bench.pipeline.load(request)
        #expect(bench.loader.requests.count == 3)
    }

    // SDWebImage encodes before it enters the queue of its disk: an image that is removed after delivery
    // comes back.
    @Test func `an image removed while it is serialized for a store is not written`() async throws {
        let gate = BlockingGate()
        let bench = Self.bench { $0.serializer = SlowSerializer(gate: gate) }
        let request = bench.request { $0.waitsForStore = false }
        _ = try await bench.pipeline.load(request)
        async let removal: Void = bench.pipeline.remove(request)
        while bench.pipeline.residentImage(for: request) != nil { await Task.yield() }
        gate.open()
        try await removal
        await bench.pipeline.untilIdle()
        #expect(bench.store.keys == [])
    }

    private struct SlowSerializer: CacheSerializer {
        let gate: BlockingGate

        func serialize(_ data: Data, for request: ImageRequest) throws -> Data {
            gate.wait()
            return data
        }
    }

    // SDWebImage #1528: writes that wait for the disk retain whole images.
    @Test func `an image waiting to be written retains no pixels`() async throws {
        let gate = BlockingGate()
        let bench = PipelineBench({ configuration in
            configuration.serializer = SlowSerializer(gate: gate)
            configuration.cache = ImageCache(
                memory: ImageCache.Memory(costLimit: 0),
                stores: configuration.cache.stores,
                codecs: configuration.cache.codecs
            )
        }) { fetch, _ in .network(fetch.url, Self.picture) }
        weak var image: Image?
        do {
            image = try await bench.pipeline.image(for: bench.request { $0.waitsForStore = false })
        }
        while image != nil { await Task.yield() }
        gate.open()
        await bench.pipeline.untilIdle()
        #expect(bench.store.keys.count == 1)
    }
}
