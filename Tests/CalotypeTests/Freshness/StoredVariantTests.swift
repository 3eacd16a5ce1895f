import CalotypeTesting
import FoundationEssentials
import PipelineSupport
import TestSupport
import Testing

@testable import Calotype

/// Stored variants after their original was replaced, or found gone, while HTTP called it fresh.
@Suite(.gated) struct StoredVariantTests {
    private static let lasting = ["Cache-Control": "max-age=100000"]
    private let store = FakeByteStore()

    private func bench(
        staleIfError: Duration? = nil,
        _ answer: @escaping ScriptedDataLoader.Script
    ) -> PipelineBench {
        PipelineBench(
            { [store] in
                let memory = ImageCache.Memory(pressureSource: nil)
                $0.cache = ImageCache(memory: memory, stores: [store], codecs: $0.cache.codecs)
                $0.staleAllowance.ifError = staleIfError
            },
            answer: answer
        )
    }

    @Test(arguments: [true, false])
    func `stored variants do not outlive a fresh original that was replaced`(isRefresh: Bool) async throws {
        let first = bench { request, number in
            let data = FakeImageDecoder.data(width: number == 0 ? 40 : 80, height: 30)
            return .network(request.url, data, Self.lasting)
        }
        let variant = first.request { ($0.httpCaching, $0.encoding) = (.respectsHTTP, .png) }
        #expect(try await first.pipeline.data(for: variant).info.size.width == 40)
        let replacing = first.request {
            $0.httpCaching = .respectsHTTP
            if isRefresh {
                $0.cachePolicy = .refresh
            } else {
                $0.headers = [HeaderField("Cache-Control", "no-cache")]
            }
        }
        #expect(try await first.pipeline.load(replacing).image.size.width == 80)
        // The variants are removed behind the delivery.
        await first.pipeline.untilIdle()
        // The new original is evicted, and the program starts anew.
        #expect(try await store.removeBlob(forKey: PipelineBench.url.absoluteString))
        let second = bench { request, _ in
            .network(request.url, FakeImageDecoder.data(width: 80, height: 30), Self.lasting)
        }
        #expect(try await second.pipeline.data(for: variant).info.size.width == 80)
    }

    @Test func `stored variants do not outlive a gone original after a new start`() async throws {
        let first = bench { request, number in
            if number > 0 { throw FetchError(.unacceptableStatus, status: 410, detail: "gone") }
            return .network(request.url, FakeImageDecoder.data(width: 40, height: 30), Self.lasting)
        }
        let variant = first.request { ($0.httpCaching, $0.encoding) = (.respectsHTTP, .png) }
        _ = try await first.pipeline.data(for: variant)
        #expect(try await store.removeBlob(forKey: PipelineBench.url.absoluteString))
        let original = first.request { $0.httpCaching = .respectsHTTP }
        await #expect(throws: LoadError.self) { try await first.pipeline.data(for: original) }
        let second = bench { _, _ in throw FetchError(.unacceptableStatus, status: 410, detail: "gone") }
        await #expect(throws: LoadError.self) { try await second.pipeline.data(for: variant) }
    }

    @Test func `a stale variant whose original was evicted stands in for a failing origin`() async throws {
        let bench = bench(staleIfError: .seconds(86_400)) { request, number in
            if number > 0 { throw FetchError(.connectionFailed, isRetryable: true, detail: "down") }
            let data = FakeImageDecoder.data(width: 40, height: 30)
            return .network(request.url, data, ["Cache-Control": "max-age=60"])
        }
        let variant = bench.request { ($0.httpCaching, $0.encoding) = (.respectsHTTP, .png) }
        _ = try await bench.pipeline.data(for: variant)
        #expect(try await store.removeBlob(forKey: PipelineBench.url.absoluteString))
        bench.time.advance(by: .seconds(90))
        let stale = try await bench.pipeline.data(for: variant)
        #expect((stale.info.size.width, stale.isStale) == (40, true))
    }

    @Test func `stale variants of a failing origin are returned without reading their original each time`()
        async throws
    {
        let bench = bench { request, number in
            if number > 0 { throw FetchError(.connectionFailed, isRetryable: true, detail: "down") }
            let data = FakeImageDecoder.data(width: 40, height: 30)
            let rule = "max-age=60, stale-while-revalidate=100000"
            return .network(request.url, data, ["Cache-Control": rule])
        }
        let variant = bench.request { ($0.httpCaching, $0.encoding) = (.respectsHTTP, .png) }
        _ = try await bench.pipeline.data(for: variant)
        bench.time.advance(by: .seconds(90))
        for _ in 0..<20 {
            #expect(try await bench.pipeline.data(for: variant).isStale)
            await bench.pipeline.untilIdle()
        }
        let reads = store.operations.count { $0 == "blob \(PipelineBench.url.absoluteString)" }
        #expect(reads <= 3, "the hash of the original is known, and the variant is in memory")
    }
}
