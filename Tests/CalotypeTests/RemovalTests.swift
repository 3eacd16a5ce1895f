import CalotypeTesting
import FoundationEssentials
import PipelineSupport
import TestSupport
import Testing

@testable import Calotype

@Suite(.gated) struct RemovalTests {
    // SDWebImage #3687: how to remove all variants of one image.
    @Test func `removing a source removes all of its variants and nothing else`() async throws {
        let bench = PipelineBench(answer: fakeImages(40, 30))
        let others: [ImageRequest] = [
            bench.request { $0.headers = [HeaderField("Authorization", "Bearer a")] },
            bench.request { $0.url = URL(string: "https://example.org/a.fake2")! },  // A literal.
        ]
        let own = [
            bench.request(), bench.request(width: 20),
            bench.request(width: 10) { $0.encoding = ImageEncoding(PNGEncoder()) },
        ]
        for request in own + others {
            _ = try await bench.pipeline.image(for: request)
            _ = try await bench.pipeline.data(for: request)
        }
        try await bench.pipeline.remove(bench.request(width: 5))
        for request in own { #expect(bench.pipeline.residentImage(for: request) == nil) }
        for request in others {
            #expect(try await bench.pipeline.load(request).source == .memory)
            #expect(try await bench.pipeline.data(for: request).source == .memory)
        }
        #expect(bench.store.keys.count == 2)
        #expect(try await bench.pipeline.load(own[1]).source == .network)
    }

    @Test func `removeAll removes all entries with a matching source address`() async throws {
        let bench = PipelineBench(answer: fakeImages(40, 30))
        let secret = [HeaderField("Authorization", "Bearer a")]
        let own = [
            bench.request(), bench.request(width: 20), bench.request(width: 20) { $0.headers = secret },
            bench.request(width: 10) { $0.encoding = ImageEncoding(PNGEncoder()) },
        ]
        let other = bench.request { $0.url = URL(string: "https://example.com/a.fake")! }  // A literal.
        for request in own + [other] {
            _ = try await bench.pipeline.image(for: request)
            _ = try await bench.pipeline.data(for: request)
        }
        try await bench.pipeline.removeAll { $0.sourceAddress.hasPrefix("https://example.org/") }
        for request in own { #expect(bench.pipeline.residentImage(for: request) == nil) }
        #expect(bench.store.keys == ["https://example.com/a.fake"])
        #expect(try await bench.pipeline.data(for: other).source == .memory)
        #expect(try await bench.pipeline.data(for: own[3]).source == .network)
    }

    @Test func `removing everything, or everything in memory, includes encoded bytes`() async throws {
        let bench = PipelineBench(answer: fakeImages(40, 30))
        var cached = bench.request { $0.encoding = ImageEncoding(PNGEncoder()) }
        _ = try await bench.pipeline.data(for: cached)
        bench.pipeline.removeAllFromMemory()
        cached.cachePolicy = .onlyFromCache
        #expect(try await bench.pipeline.data(for: cached).source == .disk)
        try await bench.pipeline.removeAll()
        await #expect(throws: LoadError.self) { _ = try await bench.pipeline.data(for: cached) }
    }

    @Test func `removing a source with credentials removes only the variants of those credentials`()
        async throws
    {
        let bench = PipelineBench(answer: fakeImages(40, 30))
        let secret: (inout ImageRequest) -> Void = { $0.headers = [HeaderField("Cookie", "a")] }
        let small = bench.request(width: 20, secret)
        _ = try await bench.pipeline.image(for: small)
        _ = try await bench.pipeline.image(for: bench.request(width: 20))
        try await bench.pipeline.remove(bench.request(secret))
        #expect(bench.pipeline.residentImage(for: small) == nil)
        #expect(bench.pipeline.residentImage(for: bench.request(width: 20)) != nil)
        #expect(bench.store.keys == [PipelineBench.url.absoluteString])
    }

    enum Removal: CaseIterable {
        case variants, cache, everything, keys, folder

        func callAsFunction(_ bench: PipelineBench) async throws {
            switch self {
            case .variants: try await bench.pipeline.remove(bench.request())
            case .cache: try await bench.pipeline.cache.removeAll()
            case .everything: try await bench.pipeline.removeAll()
            case .keys: try await bench.pipeline.cache.removeAll { $0.rawValue.contains("a.fake") }
            case .folder: try await bench.pipeline.removeAll { $0.sourceAddress.hasSuffix("/a.fake") }
            }
        }
    }

    // SDWebImage caches images that were in flight when the cache was cleared: they come back after log-out.
    @Test(arguments: Removal.allCases)
    func `a load in flight when its key is removed is not cached`(removal: Removal) async throws {
        let (reached, gate) = (AsyncGate(), AsyncGate())
        let bench = PipelineBench { request, number in
            if number < 3 {
                if number == 2 { reached.open() }
                await gate.wait()
            }
            return .network(request.url, FakeImageDecoder.data(width: 40 + number, height: 30))
        }
        let encoding: (inout ImageRequest) -> Void = { $0.encoding = ImageEncoding(PNGEncoder()) }
        async let small = bench.pipeline.load(
            bench.request(width: 20) { $0.headers = [HeaderField("A", "1")] }
        )
        async let image = bench.pipeline.load(bench.request())
        async let data = bench.pipeline.data(
            for: bench.request {
                encoding(&$0); $0.headers = [HeaderField("A", "2")]
            }
        )
        await reached.wait()
        try await removal(bench)
        gate.open()
        _ = try await (small, image, data)
        if removal != .variants {
            #expect(bench.store.keys.isEmpty)
            #expect(bench.pipeline.cache.statistics.memory.count == 0)
            #expect(bench.pipeline.stages.sources.encodedMemory.statistics.count == 0)
        }
        #expect(bench.pipeline.residentImage(for: bench.request()) == nil)
        #expect(!bench.store.keys.contains(PipelineBench.url.absoluteString))
    }

    @Test func `removing another source does not split a shared load`() async throws {
        let (reached, gate) = (AsyncGate(), AsyncGate())
        let bench = PipelineBench { request, _ in
            reached.open()
            await gate.wait()
            return .network(request.url, FakeImageDecoder.data(width: 4, height: 3))
        }
        let first = Task { try await bench.pipeline.load(bench.request()) }
        await reached.wait()
        try await bench.pipeline.cache.remove("https://example.org/other.fake")
        try await bench.pipeline.cache.removeAll { $0.rawValue.contains("other") }
        let second = Task { try await bench.pipeline.load(bench.request()) }
        while bench.pipeline.loads.variants.waiterCount < 2 { await Task.yield() }
        gate.open()
        _ = try await (first.value, second.value)
        #expect(bench.loader.requests.count == 1)
    }

    @Test(arguments: Removal.allCases)
    func `a call after a removal does not join an earlier load`(removal: Removal) async throws {
        let (reached, gate) = (AsyncGate(), AsyncGate())
        let bench = PipelineBench { request, number in
            if number == 0 {
                reached.open()
                await gate.wait()
            }
            return .network(request.url, FakeImageDecoder.data(width: 40 + number, height: 30))
        }
        let before = Task { try await bench.pipeline.load(bench.request()) }
        await reached.wait()
        try await removal(bench)
        #expect(try await bench.pipeline.load(bench.request()).image.size.width == 41)
        gate.open()
        #expect(try await before.value.image.size.width == 40)
        let after = try await bench.pipeline.load(bench.request())
        #expect((after.image.size.width, after.source) == (41, .memory))
        #expect(bench.loader.requests.count == 2)
    }

    @Test func `the predicate of a removal may use the pipeline`() async throws {
        let bench = PipelineBench { _, _ in
            throw FetchError(.unacceptableStatus, status: 404, detail: "404")
        }
        await #expect(throws: LoadError.self) { try await bench.pipeline.load(bench.request()) }
        let pipeline = bench.pipeline
        // It waits forever if it is called with a lock held.
        try await pipeline.removeAll { _ in
            pipeline.forgetFailures()
            return true
        }
    }

    @Test func `removing a source forgets its failure`() async throws {
        let bench = PipelineBench { _, _ in
            throw FetchError(.unacceptableStatus, status: 404, detail: "404")
        }
        for _ in 0..<2 {
            await #expect(throws: LoadError.self) { try await bench.pipeline.load(bench.request()) }
            try await bench.pipeline.remove(bench.request())
        }
        #expect(bench.loader.requests.count == 2)
    }
}
