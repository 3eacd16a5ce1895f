import CalotypeTesting
import FoundationEssentials
import PipelineSupport
import TestSupport
import Testing

@testable import Calotype

/// Requests that ignore HTTP beside requests that respect it, for the same source.
@Suite(.gated) struct MixedCachingTests {
    private static let lasting = ["Cache-Control": "max-age=100000"]

    @Test(arguments: [true, false])
    func `a stored variant of older content is not returned to a request that respects HTTP`(isData: Bool)
        async throws
    {
        let bench = PipelineBench { request, number in
            let data = FakeImageDecoder.data(width: number == 0 ? 40 : 80, height: 30)
            return .network(request.url, data, Self.lasting)
        }
        func width(_ change: (inout ImageRequest) -> Void = { _ in }) async throws -> Int {
            let request = bench.request {
                $0.encoding = .png
                change(&$0)
            }
            guard isData else { return try await bench.pipeline.load(request).image.size.width }
            return try await bench.pipeline.data(for: request).info.size.width
        }
        #expect(try await width() == 40)
        let refresh = bench.request { ($0.httpCaching, $0.cachePolicy) = (.respectsHTTP, .refresh) }
        #expect(try await bench.pipeline.load(refresh).image.size.width == 80)
        // The variant on disk is of older content, which a request that ignores HTTP accepts.
        _ = try await width()
        #expect(try await width { $0.httpCaching = .respectsHTTP } == 80)
    }

    @Test func `an older entry whose replacement could not be written is not taken for the new content`()
        async throws
    {
        let store = FullByteStore()
        let bench = PipelineBench {
            let memory = ImageCache.Memory(pressureSource: nil)
            $0.cache = ImageCache(memory: memory, stores: [store], codecs: $0.cache.codecs)
        } answer: { request, number in
            let data = FakeImageDecoder.data(width: number == 0 ? 40 : 80, height: 30)
            return .network(request.url, data, Self.lasting)
        }
        let plain = bench.request()
        let current = bench.request { $0.cachePolicy = .cachedThenFresh }
        #expect(try await bench.pipeline.load(plain).image.size.width == 40)
        store.isFull.withLock { $0 = true }
        #expect(try await bench.pipeline.load(current).image.size.width == 80)
        bench.pipeline.removeAllFromMemory()
        // The store has the older image, which a request that ignores HTTP accepts.
        _ = try await bench.pipeline.load(plain)
        let loaded = try await bench.pipeline.load(current)
        #expect((loaded.image.size.width, loaded.source) == (80, .network), "the origin has sent the new one")
    }
}
