import CalotypeSupport
import CalotypeTesting
import FoundationEssentials
import PipelineSupport
import TestSupport
import Testing

@testable import Calotype
@testable import CalotypeLoading

/// Stand-ins for an origin that is slow, paused, or has newer content.
@Suite(.gated) struct StandInCurrencyTests {
    private static let old = FakeImageDecoder.data(width: 40, height: 30)
    private static let new = FakeImageDecoder.data(width: 80, height: 60)
    private static let standsIn = ["ETag": "\"1\"", "Cache-Control": "max-age=60, stale-if-error=6000"]

    @Test func `a stand-in is not delivered once the new content is known`() async throws {
        let (body, store) = (PacedBody(), FlaggedByteStore())
        let bench = PipelineBench {
            $0.staleFallbackTimeout = .milliseconds(20)
            $0.cache = ImageCache(
                memory: ImageCache.Memory(pressureSource: nil),
                stores: [store],
                codecs: $0.cache.codecs
            )
        } answer: { request, number in
            if number == 0 { return .network(request.url, Self.old, Self.standsIn) }
            var response = FetchResponse.network(request.url, Self.new, Self.standsIn)
            if number == 1 { response.body = body.body }
            return response
        }
        let request = bench.request { $0.httpCaching = .respectsHTTP }
        #expect(try await bench.pipeline.load(request).image.size.width == 40)
        bench.time.advance(by: .seconds(90))
        store.holdsWrites.withLock { $0 = true }
        let stale = try await bench.pipeline.load(request)
        #expect((stale.image.size.width, stale.isStale) == (40, true))
        body.send(Self.new)
        body.finish()
        await store.reached.wait()
        // The new content has come whole, is decoded, noted, and being written.
        var later = request
        later.waitsForStore = false
        #expect(try await bench.pipeline.load(later).image.size.width == 80)
        #expect(bench.loader.requests.count == 2, "what is being written is taken")
        store.gate.open()
        await bench.pipeline.untilIdle()
    }

    @Test func `a pause of the program is not a failure of the origin`() async throws {
        let bench = PipelineBench {
            $0.staleFallbackTimeout = .milliseconds(20)
        } answer: { request, number in
            .network(request.url, number == 0 ? Self.old : Self.new, Self.standsIn)
        }
        let request = bench.request { $0.httpCaching = .respectsHTTP }
        _ = try await bench.pipeline.load(request)
        bench.time.advance(by: .seconds(90))
        bench.pipeline.pauseLoading()
        #expect(try await bench.pipeline.load(request).isStale)
        await bench.pipeline.loads.originals.untilIdle()
        #expect(bench.pipeline.stages.failures.origins.withLock { $0.count } == 0)
        bench.pipeline.resumeLoading()
    }

    @Test func `a 304 ends its turn before the store is read`() async throws {
        let (reached, gate, hasEnded) = (AsyncGate(), AsyncGate(), SharedState(false))
        let store = FlaggedByteStore()
        let bench = PipelineBench {
            $0.cache = ImageCache(
                memory: ImageCache.Memory(pressureSource: nil),
                stores: [store],
                codecs: $0.cache.codecs
            )
        } answer: { request, number in
            if number == 0 { return .network(request.url, Self.old, Self.standsIn) }
            reached.open()
            await gate.wait()
            let turn = Turn(hasEnded)
            var response = FetchResponse.network(request.url, Data(), status: 304, Self.standsIn)
            response.body = FetchBody {
                FetchBody.Iterator {
                    withExtendedLifetime(turn) { nil }
                }
            }
            return response
        }
        let request = bench.request { ($0.httpCaching, $0.waitsForStore) = (.respectsHTTP, true) }
        _ = try await bench.pipeline.load(request)
        bench.time.advance(by: .seconds(90))
        let load = Task { try await bench.pipeline.load(request) }
        await reached.wait()
        store.holdsReads.withLock { $0 = true }
        gate.open()
        await store.reached.wait()
        #expect(hasEnded.value)
        store.gate.open()
        #expect(try await load.value.image.size.width == 40)
    }

    /// Ends with its last reference, as the turn of a response does.
    private final class Turn: Sendable {
        private let hasEnded: SharedState<Bool>

        init(_ hasEnded: SharedState<Bool>) { self.hasEnded = hasEnded }

        deinit { hasEnded.withLock { $0 = true } }
    }
}

/// A store whose writes or reads hang once a test says so.
private struct FlaggedByteStore: ForwardingByteStore {
    let base = FakeByteStore()
    let gate = AsyncGate()
    let reached = AsyncGate()
    let holdsWrites = SharedState(false)
    let holdsReads = SharedState(false)

    func blob(forKey key: String) async throws -> Blob? {
        if holdsReads.value {
            reached.open()
            await gate.wait()
        }
        return try await base.blob(forKey: key)
    }

    func store(_ data: Data, forKey key: String, options: BlobOptions) async throws {
        if holdsWrites.value {
            reached.open()
            await gate.wait()
        }
        try await base.store(data, forKey: key, options: options)
    }
}
