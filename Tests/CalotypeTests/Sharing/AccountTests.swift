import CalotypeTesting
import FoundationEssentials
import PipelineSupport
import TestSupport
import Testing

@testable import Calotype

/// Loads that differ in their credentials or their signature.
@Suite(.gated) struct AccountTests {
    /// A loader whose identity is the user who is signed in at the moment.
    private struct SessionLoader: DataLoader {
        let user = SharedState("alice")
        let base: ScriptedDataLoader

        func cacheIdentity(for request: FetchRequest) -> String { user.value }

        func response(for request: FetchRequest) async throws -> FetchResponse {
            try await base.response(for: request)
        }
    }

    // Log-out and log-in with loads in flight.
    @Test(arguments: [true, false])
    func `a load whose account changes fails and stores nothing`(whileReading: Bool) async throws {
        let (reached, gate) = (AsyncGate(), AsyncGate())
        let loader = SessionLoader(
            base: ScriptedDataLoader { request, number in
                let data = FakeImageDecoder.data(width: 40 + number, height: 30)
                guard number == 0 else { return .network(request.url, data) }
                if !whileReading {
                    reached.open()
                    await gate.wait()
                    return .network(request.url, data)
                }
                let body = FetchBody {
                    var rest: Data? = data
                    return FetchBody.Iterator {
                        reached.open()
                        await gate.wait()
                        return rest.take()
                    }
                }
                return FetchResponse(origin: .network, url: request.url, body: body)
            }
        )
        let bench = PipelineBench({ $0.loader = loader }) { _, _ in throw CancellationError() }
        let load = Task { try await bench.pipeline.load(bench.request()) }
        await reached.wait()
        loader.user.withLock { $0 = "bob" }
        gate.open()
        let error = try await #require(throws: LoadError.self) { try await load.value }
        let cause = try #require(error.underlying as? FetchError)
        #expect((cause.code, cause.isRetryable) == (.identityChanged, true))
        #expect(bench.store.keys.isEmpty)
        #expect(try await bench.pipeline.load(bench.request()).image.size.width == 41)
        loader.user.withLock { $0 = "alice" }
        #expect(try await bench.pipeline.load(bench.request()).image.size.width == 42)
    }

    @Test(arguments: [401, 403])
    func `a rejected signature does not fail joined loads with a valid one`(status: Int) async throws {
        let (reached, gate) = (AsyncGate(), AsyncGate())
        let bench = PipelineBench({ configuration in
            configuration.sourceIdentity = { $0.path() }
        }) { request, _ in
            reached.open()
            await gate.wait()
            guard request.url.query() == "sign=good" else {
                throw FetchError(.unacceptableStatus, status: status, detail: "expired")
            }
            return .network(request.url, FakeImageDecoder.data(width: 4, height: 3))
        }
        func request(_ query: String, width: Int?) throws -> ImageRequest {
            let url = try #require(URL(string: "https://example.org/a.fake?sign=\(query)"))
            return bench.request(width: width) { $0.url = url }
        }
        let bad = try request("old", width: nil)
        let first = Task { try await bench.pipeline.load(bad) }
        await reached.wait()
        let sameSize = try request("good", width: nil)
        let other = try request("good", width: 2)
        let joined = Task { try await bench.pipeline.load(sameSize) }
        let smaller = Task { try await bench.pipeline.load(other) }
        let bytes = Task { try await bench.pipeline.data(for: sameSize) }
        while bench.pipeline.loads.variants.waiterCount + bench.pipeline.loads.originals.waiterCount < 6 {
            await Task.yield()
        }
        gate.open()
        await #expect(throws: LoadError.self) { try await first.value }
        #expect(try await joined.value.image.size.width == 4)
        #expect(try await smaller.value.image.size.width == 2)
        #expect(try await bytes.value.info.size.width == 4)
    }

    @Test func `a caller that joins a rejected load requests its own URL once`() async throws {
        let (reached, gate) = (AsyncGate(), AsyncGate())
        let bench = PipelineBench({ configuration in
            configuration.sourceIdentity = { $0.path() }
        }) { _, _ in
            reached.open()
            await gate.wait()
            throw FetchError(.unacceptableStatus, status: 403, detail: "expired")
        }
        let urls = try ["1", "2"].map { try #require(URL(string: "https://example.org/a.fake?sign=\($0)")) }
        let first = Task { try await bench.pipeline.load(bench.request { $0.url = urls[0] }) }
        await reached.wait()
        let second = Task { try await bench.pipeline.load(bench.request { $0.url = urls[1] }) }
        while bench.pipeline.loads.variants.waiterCount < 2 { await Task.yield() }
        gate.open()
        await #expect(throws: LoadError.self) { try await first.value }
        await #expect(throws: LoadError.self) { try await second.value }
        #expect(bench.loader.requests.map(\.url) == urls)
    }
}
