import CalotypeTesting
import FoundationEssentials
import PipelineSupport
import TestSupport
import Testing

@testable import Calotype

/// Callers that wait for the store while a stale image is being replaced.
@Suite(.gated) struct ReplacementWriteTests {
    @Test func `a caller that waits for the store waits for the write of a replacement`() async throws {
        let store = HeldByteStore()
        func over(_ store: any ByteStore) -> (inout ImagePipeline.Configuration) -> Void {
            {
                let memory = ImageCache.Memory(pressureSource: nil)
                $0.cache = ImageCache(memory: memory, stores: [store], codecs: $0.cache.codecs)
            }
        }
        let rule = ["ETag": "\"1\"", "Cache-Control": "max-age=60, stale-while-revalidate=6000"]
        let first = PipelineBench(over(store.base)) { request, _ in
            .network(request.url, FakeImageDecoder.data(width: 40, height: 30), rule)
        }
        _ = try await first.pipeline.load(first.request { $0.httpCaching = .respectsHTTP })
        let bench = PipelineBench(over(store)) { request, _ in
            .network(request.url, FakeImageDecoder.data(width: 80, height: 60), rule)
        }
        bench.time.advance(by: .seconds(90))
        let request = bench.request { $0.httpCaching = .respectsHTTP }
        #expect(try await bench.pipeline.load(request).isStale)
        // The replacement has come and is being written.
        await store.reached.wait()
        let isDone = SharedState(false)
        let waiting = Task {
            let loaded = try await bench.pipeline.load(request)
            isDone.withLock { $0 = true }
            return loaded
        }
        let isEarly = await AdmissionBench.eventually { isDone.value }
        #expect(!isEarly, "it has returned before the write has ended")
        store.gate.open()
        #expect(try await waiting.value.image.size.width == 80)
        await bench.pipeline.untilIdle()
    }
}
