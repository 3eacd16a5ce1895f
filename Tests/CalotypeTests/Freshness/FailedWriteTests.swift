import CalotypeTesting
import FoundationEssentials
import PipelineSupport
import TestSupport
import Testing

@testable import Calotype

/// New content that could not be written, beside the older entry that it replaces.
@Suite(.gated) struct FailedWriteTests {
    private static let lasting = ["Cache-Control": "max-age=100000"]

    @Test(arguments: [true, false])
    func `a refresh is not undone by the older entry if its content could not be written`(isRefresh: Bool)
        async throws
    {
        let store = FullByteStore()
        let bench = PipelineBench {
            let memory = ImageCache.Memory(pressureSource: nil)
            $0.cache = ImageCache(memory: memory, stores: [store], codecs: $0.cache.codecs)
        } answer: { request, number in
            let size = number == 0 ? (40, 30) : (80, 20)
            return .network(
                request.url,
                FakeImageDecoder.data(width: size.0, height: size.1),
                Self.lasting
            )
        }
        let request = bench.request { $0.httpCaching = .respectsHTTP }
        #expect(try await bench.pipeline.load(request).image.size.width == 40)
        store.isFull.withLock { $0 = true }
        let replacing = bench.request {
            $0.httpCaching = .respectsHTTP
            if isRefresh {
                $0.cachePolicy = .refresh
            } else {
                $0.headers = [HeaderField("Cache-Control", "no-cache")]
            }
        }
        let loaded = try await bench.pipeline.load(replacing)
        #expect(loaded.image.size.width == 80 && loaded.storeFailure != nil)
        await bench.pipeline.untilIdle()
        // A later process would not know that it is outdated.
        let key = try await bench.pipeline.originalKey(for: request)
        #expect(try await !store.contains(key.rawValue))
        let small = bench.request(width: 20) { $0.httpCaching = .respectsHTTP }
        #expect(try await bench.pipeline.load(small).image.size == PixelSize(width: 20, height: 5))
        #expect(try await bench.pipeline.load(request).image.size.width == 80)
    }
}
