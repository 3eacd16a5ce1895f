import CalotypeTesting
import FoundationEssentials
import PipelineSupport
import TestSupport
import Testing

@testable import Calotype

/// New content that has been delivered, and whose write has not been issued yet.
@Suite(.gated) struct UnwrittenContentTests {
    private static let lasting = ["Cache-Control": "max-age=100000"]

    @Test func `an older entry that is read before its replacement is written does not replace it`()
        async throws
    {
        let store = SlowInfoStore()
        func bench(_ size: PixelSize) -> PipelineBench {
            PipelineBench {
                let memory = ImageCache.Memory(pressureSource: nil)
                $0.cache = ImageCache(memory: memory, stores: [store], codecs: $0.cache.codecs)
            } answer: { request, _ in
                let data = FakeImageDecoder.data(width: size.width, height: size.height)
                return .network(request.url, data, Self.lasting)
            }
        }
        let earlier = bench(PixelSize(width: 40, height: 30))
        _ = try await earlier.pipeline.load(earlier.request { $0.httpCaching = .respectsHTTP })
        let later = bench(PixelSize(width: 80, height: 20))
        let refresh = later.request {
            ($0.httpCaching, $0.cachePolicy, $0.waitsForStore) = (.respectsHTTP, .refresh, false)
        }
        #expect(try await later.pipeline.load(refresh).image.size.width == 80)
        // The store is queried for what is about to be replaced, which takes time.
        await store.reached.wait()
        let small = later.request(width: 20) { ($0.httpCaching, $0.waitsForStore) = (.respectsHTTP, false) }
        _ = try await later.pipeline.load(small)
        store.gate.open()
        await later.pipeline.untilIdle()
        #expect(try await later.pipeline.load(small).image.size == PixelSize(width: 20, height: 5))
    }
}

/// A store whose information about an entry takes time; all other operations are immediate.
private struct SlowInfoStore: ForwardingByteStore {
    let base = FakeByteStore()
    let reached = AsyncGate()
    let gate = AsyncGate()

    func blobInfo(forKey key: String) async throws -> BlobInfo? {
        reached.open()
        await gate.wait()
        return try await base.blobInfo(forKey: key)
    }
}
