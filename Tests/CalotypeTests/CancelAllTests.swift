import CalotypeTesting
import FoundationEssentials
import PipelineSupport
import TestSupport
import Testing

@testable import Calotype

@Suite(.gated) struct CancelAllTests {
    private let body = PacedBody()

    private func bench() -> PipelineBench {
        PipelineBench { [body] request, number in
            guard number == 0 else {
                return .network(request.url, FakeImageDecoder.data(width: 4, height: 3))
            }
            return FetchResponse(origin: .network, url: request.url, body: body.body)
        }
    }

    @Test func `cancelAll cancels every load and a later load succeeds`() async throws {
        let bench = bench()
        let calls = (0..<3).map { index in
            Task { try await bench.pipeline.image(for: bench.request(width: index + 1)) }
        }
        let data = Task { try await bench.pipeline.data(for: bench.request()) }
        while bench.loader.requests.isEmpty || bench.pipeline.waiterCount < 7 { await Task.yield() }
        bench.pipeline.cancelAll()
        for call in calls { await #expect(throws: CancellationError.self) { try await call.value } }
        await #expect(throws: CancellationError.self) { try await data.value }
        await body.isDropped.wait()
        #expect(bench.pipeline.waiterCount == 0)
        #expect(try await bench.pipeline.load(bench.request()).source == .network)
        #expect(bench.loader.requests.count == 2)
    }

    enum WaitingCall: CaseIterable {
        case original, image, encodedImage
    }

    @Test(arguments: WaitingCall.allCases)
    func `cancelAll does not cancel a call that only waits for the write`(call: WaitingCall) async throws {
        let store = HeldByteStore()
        let bench = PipelineBench {
            let memory = ImageCache.Memory(pressureSource: nil)
            $0.cache = ImageCache(memory: memory, stores: [store], codecs: $0.cache.codecs)
        } answer: { request, _ in
            .network(request.url, FakeImageDecoder.data(width: 4, height: 3))
        }
        let request = bench.request {
            guard call == .encodedImage else { return }
            ($0.encoding, $0.cachePolicy.original, $0.cachePolicy.variantOnDisk) = (.png, .none, .readWrite)
        }
        let load = Task {
            if call == .image { return try await bench.pipeline.load(request).storeFailure }
            return try await bench.pipeline.data(for: request).storeFailure
        }
        await store.reached.wait()
        bench.pipeline.cancelAll()
        store.gate.open()
        #expect(try await load.value == nil)
        await bench.pipeline.untilIdle()
    }

    @Test func `cancelAll without running loads changes nothing`() async throws {
        let bench = bench()
        body.send(FakeImageDecoder.data(width: 4, height: 3))
        body.finish()
        _ = try await bench.pipeline.image(for: bench.request())
        bench.pipeline.cancelAll()
        #expect(try await bench.pipeline.load(bench.request()).source == .memory)
    }

    @Test func `cancelAll ends a running prefetch`() async throws {
        let bench = bench()
        let prefetch = Task { try await bench.pipeline.prefetch([bench.request()]) }
        while bench.loader.requests.isEmpty { await Task.yield() }
        bench.pipeline.cancelAll()
        await #expect(throws: CancellationError.self) { try await prefetch.value }
    }
}
