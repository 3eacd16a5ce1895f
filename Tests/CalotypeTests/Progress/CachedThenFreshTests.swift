import CalotypeTesting
import FoundationEssentials
import PipelineSupport
import TestSupport
import Testing

@testable import Calotype

/// Calls that deliver the cached image first and the new one after it.
@Suite(.gated) struct CachedThenFreshTests {
    private static let old = FakeImageDecoder.data(width: 40, height: 30)
    private static let new = FakeImageDecoder.data(width: 80, height: 60)
    private static let tag = ["ETag": "\"1\""]

    /// The events of a call without progress: widths of previews, then the result.
    private func events(
        _ bench: PipelineBench,
        width: Int? = nil,
        previews: Bool = true
    ) async throws -> (shown: [Int], result: LoadedImage?) {
        let request = bench.request(width: width) { $0.cachePolicy = .cachedThenFresh }
        var (shown, result): ([Int], LoadedImage?) = ([], nil)
        for try await event in bench.pipeline.events(for: request, previews: previews) {
            switch event {
            case .progress: continue
            case .preview(let image): shown.append(image.size.width)
            case .finished(let loaded): result = loaded
            }
        }
        return (shown, result)
    }

    @Test func `without a cached image the call is an ordinary load`() async throws {
        let bench = PipelineBench { request, _ in .network(request.url, Self.old, Self.tag) }
        let (shown, result) = try await events(bench)
        #expect(shown == [])
        #expect(result?.source == .network)
        #expect(bench.loader.requests.count == 1)
    }

    @Test(arguments: [true, false])
    func `the cached image is delivered first and the new one after it`(isResident: Bool) async throws {
        let bench = PipelineBench { request, number in
            .network(request.url, number == 0 ? Self.old : Self.new, Self.tag)
        }
        _ = try await bench.pipeline.image(for: bench.request())
        if !isResident { bench.pipeline.cache.removeAllFromMemory() }
        let (shown, result) = try await events(bench)
        #expect(shown == [40])
        #expect(result?.image.size.width == 80)
        #expect(result?.source == .network)
        #expect(bench.pipeline.residentImage(for: bench.request())?.size.width == 80, "it has been kept")
        bench.pipeline.cache.removeAllFromMemory()
        let kept = try await bench.pipeline.load(bench.request())
        #expect(kept.image.size.width == 80 && kept.source == .disk)
    }

    @Test func `a 304 response makes the cached image the result`() async throws {
        let bench = PipelineBench { request, number in
            number == 0
                ? .network(request.url, Self.old, Self.tag)
                : .network(request.url, status: 304, Self.tag)
        }
        _ = try await bench.pipeline.image(for: bench.request())
        for _ in 0..<3 {
            let (shown, result) = try await events(bench, previews: false)
            #expect(shown == [40])
            #expect(result?.image.size.width == 40)
            #expect(result?.source == .disk)
            #expect(result?.isStale == false)
        }
        #expect(bench.sent("If-None-Match") == [nil, "\"1\"", "\"1\"", "\"1\""])
        #expect(bench.decoder.decodeCount <= 2, "what memory has is used once it is known to be the same")
    }

    @Test func `new content removes every size of the old image from memory`() async throws {
        let bench = PipelineBench { request, number in
            .network(request.url, number == 0 ? Self.old : Self.new, Self.tag)
        }
        _ = try await bench.pipeline.image(for: bench.request(width: 20))
        let (shown, result) = try await events(bench, width: 10)
        #expect(shown == [10])
        #expect(result?.image.size == PixelSize(width: 10, height: 8))
        #expect(bench.pipeline.residentImage(for: bench.request(width: 20)) == nil)
    }

    @Test func `an unreachable origin makes the cached image the result, marked as stale`() async throws {
        let bench = PipelineBench { request, number in
            guard number == 0 else { throw FetchError(.connectionFailed, detail: "down") }
            return .network(request.url, Self.old, Self.tag)
        }
        _ = try await bench.pipeline.image(for: bench.request())
        let (shown, result) = try await events(bench)
        #expect(shown == [40])
        #expect(result?.image.size.width == 40)
        #expect(result?.isStale == true)
    }

    @Test func `a 404 response throws and removes the cached image`() async throws {
        let bench = PipelineBench { request, number in
            guard number == 0 else {
                throw FetchError(.unacceptableStatus, status: 404, detail: "gone")
            }
            return .network(request.url, Self.old, Self.tag)
        }
        _ = try await bench.pipeline.image(for: bench.request())
        let error = try await #require(throws: LoadError.self) { _ = try await events(bench) }
        #expect(error.httpStatus == 404)
        #expect(bench.store.keys == [])
        #expect(bench.pipeline.residentImage(for: bench.request()) == nil)
    }

    @Test func `a call with one result requests the origin each time`() async throws {
        let bench = PipelineBench { request, number in
            .network(request.url, FakeImageDecoder.data(width: 40 + number, height: 30))
        }
        let request = bench.request { $0.cachePolicy = .cachedThenFresh }
        for round in 0..<3 {
            #expect(bench.pipeline.residentImage(for: request) == nil)
            #expect(try await bench.pipeline.image(for: request).size.width == 40 + 2 * round)
            #expect(try await bench.pipeline.data(for: request).info.size.width == 41 + 2 * round)
        }
    }

    @Test func `an encoded variant is encoded again if its original has changed`() async throws {
        let bench = PipelineBench { request, number in
            .network(request.url, number == 0 ? Self.old : Self.new, Self.tag)
        }
        let change: (inout ImageRequest) -> Void = { $0.encoding = .png }
        _ = try await bench.pipeline.data(for: bench.request(change))
        let request = bench.request {
            change(&$0)
            $0.cachePolicy = .cachedThenFresh
        }
        #expect(try await bench.pipeline.data(for: request).info.size.width == 80)
    }

    @Test func `no other cache policy always revalidates`() {
        for policy in [CachePolicy.standard, .refresh, .memoryOnly, .disabled, .onlyFromCache] {
            #expect(!policy.alwaysRevalidates)
        }
    }
}
