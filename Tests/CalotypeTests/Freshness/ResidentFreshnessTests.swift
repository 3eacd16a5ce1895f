import CalotypeTesting
import PipelineSupport
import TestSupport
import Testing

@testable import Calotype

/// The freshness that encoded images in memory are served with.
@Suite(.gated) struct ResidentFreshnessTests {
    @Test func `a memory hit is never served with the freshness of newer content`() async throws {
        let bench = PipelineBench { request, _ in
            let data = FakeImageDecoder.data(width: 4, height: 3)
            return .network(request.url, data, ["Cache-Control": "max-age=60"])
        }
        let request = bench.request { $0.httpCaching = .respectsHTTP }
        _ = try await bench.pipeline.data(for: request)
        let sources = bench.pipeline.stages.sources
        let key = try await bench.pipeline.originalKey(for: request)
        let box = try #require(sources.encodedMemory[key])
        #expect(sources.residentEncodedImage(key, of: key.rawValue, for: request) != nil)
        _ = sources.note(7, sources.record(of: request), of: key, byLoad: .max)
        // As a call sees memory that has read it before the newer content was noted.
        sources.encodedMemory.insert(box, forKey: key, cost: 1)
        #expect(sources.residentEncodedImage(key, of: key.rawValue, for: request) == nil)
    }
}
