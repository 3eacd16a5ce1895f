import CalotypeTesting
import FoundationEssentials
import PipelineSupport
import TestSupport
import Testing

@testable import Calotype

/// Originals in a writable store behind another one, such as one that several programs share.
@Suite(.gated) struct FartherStoreTests {
    private let near = FakeByteStore(name: "near")
    private let far = FakeByteStore(name: "far")

    private func bench(
        over stores: [any ByteStore],
        _ answer: @escaping ScriptedDataLoader.Script
    ) -> PipelineBench {
        PipelineBench(
            {
                let memory = ImageCache.Memory(pressureSource: nil)
                $0.cache = ImageCache(memory: memory, stores: stores, codecs: $0.cache.codecs)
            },
            answer: answer
        )
    }

    @Test func `an entry that the origin has confirmed is fresh again, whichever store has it`() async throws
    {
        let first = bench(over: [far]) { request, _ in
            let rule = ["ETag": "\"1\"", "Cache-Control": "max-age=60"]
            return .network(request.url, FakeImageDecoder.data(width: 40, height: 30), rule)
        }
        _ = try await first.pipeline.load(first.request { $0.httpCaching = .respectsHTTP })
        let second = bench(over: [near, far]) { request, _ in
            .network(request.url, status: 304, ["ETag": "\"1\"", "Cache-Control": "max-age=6000"])
        }
        second.time.advance(by: .seconds(90))
        for width in [20, 10] {
            let request = second.request(width: width) { $0.httpCaching = .respectsHTTP }
            #expect(try await second.pipeline.load(request).image.size.width == width)
            await second.pipeline.untilIdle()
        }
        #expect(second.loader.requests.count == 1)
    }

    @Test func `an older entry of a farther store does not come back after a refresh`() async throws {
        let lasting = ["Cache-Control": "max-age=100000"]
        let first = bench(over: [far]) { request, _ in
            .network(request.url, FakeImageDecoder.data(width: 40, height: 30), lasting)
        }
        _ = try await first.pipeline.load(first.request { $0.httpCaching = .respectsHTTP })
        let second = bench(over: [near, far]) { request, _ in
            .network(request.url, FakeImageDecoder.data(width: 80, height: 20), lasting)
        }
        let request = second.request { $0.httpCaching = .respectsHTTP }
        var refresh = request
        refresh.cachePolicy = .refresh
        #expect(try await second.pipeline.load(refresh).image.size.width == 80)
        await second.pipeline.untilIdle()
        // The nearer store evicts it.
        #expect(try await near.removeBlob(forKey: PipelineBench.url.absoluteString))
        let small = second.request(width: 20) { $0.httpCaching = .respectsHTTP }
        #expect(try await second.pipeline.load(small).image.size.height == 5)
        #expect(try await second.pipeline.load(request).image.size.width == 80)
    }
}
