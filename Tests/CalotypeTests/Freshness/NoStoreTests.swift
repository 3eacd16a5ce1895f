import CalotypeTesting
import FoundationEssentials
import PipelineSupport
import TestSupport
import Testing

@testable import Calotype

/// No-store responses, which leave no older bytes behind that could pass for them.
@Suite(.gated) struct NoStoreTests {
    private static let old = FakeImageDecoder.data(width: 40, height: 30)
    private static let new = FakeImageDecoder.data(width: 80, height: 60)

    /// An origin whose first response may be cached for long; the later ones are the test's.
    private func bench(_ later: @escaping @Sendable (FetchRequest) -> FetchResponse) -> PipelineBench {
        PipelineBench { request, number in
            number == 0
                ? .network(request.url, Self.old, ["ETag": "\"1\"", "Cache-Control": "max-age=100000"])
                : later(request)
        }
    }

    private func refreshed(_ bench: PipelineBench) -> ImageRequest {
        bench.request {
            $0.httpCaching = .respectsHTTP
            $0.cachePolicy.alwaysRevalidates = true
        }
    }

    private func key(_ bench: PipelineBench) -> String { PipelineBench.url.absoluteString }

    @Test func `a no-store refresh removes the stored original and its variants`() async throws {
        let bench = bench { .network($0.url, Self.new, ["Cache-Control": "no-store"]) }
        let ordinary = bench.request { $0.httpCaching = .respectsHTTP }
        #expect(try await bench.pipeline.load(ordinary).image.size.width == 40)
        var variant = ordinary
        variant.encoding = .png
        _ = try await bench.pipeline.data(for: variant)
        #expect(bench.store.keys.count == 2)
        #expect(try await bench.pipeline.load(refreshed(bench)).image.size.width == 80)
        #expect(bench.store.keys.isEmpty)
        #expect(try await bench.pipeline.load(ordinary).image.size.width == 80)
    }

    @Test func `a 304 with no-store removes the entry that it confirms`() async throws {
        let bench = bench { .network($0.url, status: 304, ["ETag": "\"1\"", "Cache-Control": "no-store"]) }
        let ordinary = bench.request { $0.httpCaching = .respectsHTTP }
        _ = try await bench.pipeline.load(ordinary)
        #expect(bench.store.keys == [key(bench)])
        #expect(try await bench.pipeline.load(refreshed(bench)).image.size.width == 40)
        #expect(bench.store.keys.isEmpty)
    }

    @Test func `a stale entry is removed if its successor is no-store`() async throws {
        let bench = PipelineBench { request, number in
            let field = number == 0 ? "max-age=60" : "no-store"
            return .network(request.url, number == 0 ? Self.old : Self.new, ["Cache-Control": field])
        }
        let ordinary = bench.request { $0.httpCaching = .respectsHTTP }
        _ = try await bench.pipeline.load(ordinary)
        bench.time.advance(by: .seconds(90))
        #expect(try await bench.pipeline.load(ordinary).image.size.width == 80)
        #expect(bench.store.keys.isEmpty)
    }

    @Test func `a 410 response removes the stored variants of its source`() async throws {
        let bench = PipelineBench { request, number in
            if number > 0 { throw FetchError(.unacceptableStatus, status: 410, detail: "gone") }
            return .network(request.url, Self.old, ["Cache-Control": "max-age=100000"])
        }
        var variant = bench.request { $0.httpCaching = .respectsHTTP }
        variant.encoding = .png
        _ = try await bench.pipeline.data(for: variant)
        await #expect(throws: LoadError.self) { try await bench.pipeline.load(refreshed(bench)) }
        #expect(bench.store.keys.isEmpty)
    }
}
