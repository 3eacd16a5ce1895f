import CalotypeTesting
import FoundationEssentials
import PipelineSupport
import TestTraits
import Testing

@testable import Calotype
@testable import CalotypeLoading

/// Old content beside its replacement.
@Suite(.timeLimit(.minutes(20))) struct ReplacedContentTests {
    private static let old = FakeImageDecoder.data(width: 40, height: 30)
    private static let new = FakeImageDecoder.data(width: 80, height: 60)
    private static let isUsedStale = [
        "ETag": "\"1\"", "Cache-Control": "max-age=60, stale-while-revalidate=6000",
    ]

    @Test func `variants do not outlive an original that a no-cache request found gone`() async throws {
        let bench = PipelineBench { request, number in
            if number > 0 { throw FetchError(.unacceptableStatus, status: 410, detail: "gone") }
            return .network(request.url, Self.old, ["Cache-Control": "max-age=100000"])
        }
        let variant = bench.request { ($0.httpCaching, $0.encoding) = (.respectsHTTP, .png) }
        _ = try await bench.pipeline.data(for: variant)
        let asked = bench.request {
            $0.httpCaching = .respectsHTTP
            $0.headers = [HeaderField("Cache-Control", "no-cache")]
        }
        await #expect(throws: LoadError.self) { try await bench.pipeline.load(asked) }
        #expect(bench.store.keys.isEmpty)
        await #expect(throws: LoadError.self) { try await bench.pipeline.data(for: variant) }
    }

    @Test func `variants do not outlive a gone original that had left the store`() async throws {
        let bench = PipelineBench { request, number in
            if number > 0 { throw FetchError(.unacceptableStatus, status: 410, detail: "gone") }
            return .network(request.url, Self.old, ["Cache-Control": "max-age=100000"])
        }
        let variant = bench.request { ($0.httpCaching, $0.encoding) = (.respectsHTTP, .png) }
        _ = try await bench.pipeline.data(for: variant)
        #expect(try await bench.store.removeBlob(forKey: PipelineBench.url.absoluteString))
        let original = bench.request { $0.httpCaching = .respectsHTTP }
        await #expect(throws: LoadError.self) { try await bench.pipeline.data(for: original) }
        await #expect(throws: LoadError.self) { try await bench.pipeline.data(for: variant) }
    }

    @Test func `a gone original is remembered if its entry was removed`() async throws {
        let bench = PipelineBench { request, number in
            if number > 0 { throw FetchError(.unacceptableStatus, status: 410, detail: "gone") }
            return .network(request.url, Self.old)
        }
        _ = try await bench.pipeline.load(bench.request())
        for _ in 0..<3 {
            await #expect(throws: LoadError.self) {
                try await bench.pipeline.load(bench.request { $0.cachePolicy.alwaysValidates = true })
            }
        }
        #expect(bench.loader.requests.count == 2)
    }
}
