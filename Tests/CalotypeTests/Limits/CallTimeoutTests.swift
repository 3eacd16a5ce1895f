import CalotypeTesting
import FoundationEssentials
import PipelineSupport
import TestSupport
import Testing

@testable import Calotype

@Suite(.gated) struct CallTimeoutTests {
    private static let soon = Duration.milliseconds(20)

    private func timedOut(_ load: () async throws -> Void) async throws {
        let error = try await #require(throws: LoadError.self) { try await load() }
        let cause = try #require(error.underlying as? FetchError)
        #expect((cause.code, cause.isRetryable) == (.timedOut, true))
        #expect(cause.detail.contains("ImageRequest.timeout"))
    }

    @Test func `a call to a loader that never responds times out and cancels the load`() async throws {
        let cancelled = AsyncGate()
        let bench = PipelineBench { _, _ in
            await withTaskCancellationHandler {
                await cancelled.wait()
            } onCancel: {
                cancelled.open()
            }
            throw CancellationError()
        }
        let request = bench.request { $0.timeout = Self.soon }
        try await timedOut { _ = try await bench.pipeline.load(request) }
        // A started loader ends only by cancellation; the time may be over before it is started.
        await bench.pipeline.untilIdle()
    }

    @Test func `calls for data and encoded images time out as well`() async throws {
        let gate = AsyncGate()
        let bench = PipelineBench({ $0.timeout = Self.soon }) { request, _ in
            await gate.wait()
            return .network(request.url, FakeImageDecoder.data(width: 4, height: 3))
        }
        try await timedOut { _ = try await bench.pipeline.data(for: bench.request()) }
        let encoded = bench.request { $0.encoding = ImageEncoding(PNGEncoder()) }
        try await timedOut { _ = try await bench.pipeline.data(for: encoded) }
        try await timedOut { _ = try await bench.pipeline.image(for: encoded) }
        gate.open()
        await bench.pipeline.untilIdle()
    }

    @Test func `the timeout of one call does not end another call of the same load`() async throws {
        let gate = AsyncGate()
        let bench = PipelineBench { request, _ in
            await gate.wait()
            return .network(request.url, FakeImageDecoder.data(width: 4, height: 3))
        }
        let patient = Task { try await bench.pipeline.load(bench.request()) }
        while bench.loader.requests.isEmpty { await Task.yield() }
        try await timedOut { _ = try await bench.pipeline.load(bench.request { $0.timeout = Self.soon }) }
        gate.open()
        #expect(try await patient.value.image.size.width == 4)
        #expect(bench.loader.requests.count == 1)
    }

    @Test func `a call that waits for a hanging store ends at its timeout`() async throws {
        let store = HeldByteStore()
        let bench = PipelineBench({ configuration in
            configuration.cache = ImageCache(stores: [store], codecs: configuration.cache.codecs)
        }) { request, _ in .network(request.url, FakeImageDecoder.data(width: 4, height: 3)) }
        _ = try await bench.pipeline.load(bench.request { $0.waitsForStore = false })
        // The bytes are available; the call waits only for the store.
        let request = bench.request { $0.timeout = Self.soon }
        #expect(try await bench.pipeline.data(for: request).storeFailure?.underlying is StoreBusyError)
        try await timedOut {
            _ = try await bench.pipeline.load(bench.request(width: 2) { $0.timeout = Self.soon })
        }
        store.gate.open()
        await bench.pipeline.untilIdle()
    }

    @Test func `a call for a stored original does not wait for a codec beyond its timeout`() async throws {
        let (decoder, store) = (HeldImageDecoder(), FakeByteStore())
        let loader = ScriptedDataLoader(fakeImages(4, 3))
        let pipeline = ImagePipeline(AdmissionBench.configuration(decoder, stores: [store], loader))
        var stored = try AdmissionBench.request("stored.test")
        let data = FakeImageDecoder.data(width: 4, height: 3)
        try await store.store(data, forKey: stored.url.absoluteString, options: BlobOptions())
        let slow = try (0..<2).map { number in
            var request = try AdmissionBench.request("slow.test", number)
            request.decoding.limits.maxDuration = .seconds(86_400)
            return Task { [request] in try await pipeline.image(for: request) }
        }
        #expect(await AdmissionBench.eventually { decoder.startedCount == 2 })
        stored.timeout = Self.soon
        let outcome = SharedState<Bool?>(nil)
        let call = Task { [stored] in
            do {
                _ = try await pipeline.data(for: stored)
                outcome.withLock { $0 = true }
            } catch {
                outcome.withLock { $0 = false }
            }
        }
        let hasEnded = await AdmissionBench.eventually { outcome.value != nil }
        #expect(hasEnded, "it waits for a codec thread without a limit")
        decoder.release()
        for task in slow { _ = try await task.value }
        await call.value
        #expect(outcome.value == false)
    }

    @Test func `a timeout of zero ends the call at once`() async throws {
        let gate = AsyncGate()
        let bench = PipelineBench { request, _ in
            await gate.wait()
            return .network(request.url, FakeImageDecoder.data(width: 4, height: 3))
        }
        try await timedOut { _ = try await bench.pipeline.load(bench.request { $0.timeout = .zero }) }
        gate.open()
        await bench.pipeline.untilIdle()
    }
}
