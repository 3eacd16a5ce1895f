import CalotypeTesting
import FoundationEssentials
import PipelineSupport
import TestSupport
import Testing

@testable import Calotype

/// Shutdowns beside stores that do not respond.
@Suite(.gated) struct HungShutdownTests {
    private func ends(_ pipeline: ImagePipeline) async -> (isInTime: Bool, Task<Void, any Error>) {
        let hasEnded = SharedState(false)
        let task = Task {
            defer { hasEnded.withLock { $0 = true } }
            try await pipeline.shutdown()
        }
        return (await AdmissionBench.eventually { hasEnded.value }, task)
    }

    @Test func `a shutdown does not wait for a removal that was given up`() async throws {
        var store = HeldByteStore()
        store.holdsRemovals = true
        let bench = PipelineBench {
            let memory = ImageCache.Memory(pressureSource: nil)
            $0.cache = ImageCache(memory: memory, stores: [store], codecs: $0.cache.codecs)
            $0.storeTimeout = .milliseconds(20)
            $0.shutdownGrace = .milliseconds(1)
        } answer: { request, number in
            guard number == 0 else {
                throw FetchError(.unacceptableStatus, status: 404, detail: "it is gone")
            }
            let data = FakeImageDecoder.data(width: 40, height: 30)
            return .network(request.url, data, ["Cache-Control": "max-age=10"])
        }
        let request = bench.request { $0.httpCaching = .respectsHTTP }
        _ = try await bench.pipeline.image(for: request)
        bench.time.advance(by: .seconds(86_400))
        await #expect(throws: LoadError.self) { try await bench.pipeline.image(for: request) }
        let (isInTime, closing) = await ends(bench.pipeline)
        #expect(isInTime, "it waits longer than shutdownGrace")
        store.gate.open()
        _ = await closing.result
    }

    @Test(arguments: [true, false])
    func `a shutdown does not wait for a store that does not close`(isPartial: Bool) async throws {
        let (store, hung) = (FakeByteStore(), HungCloseStore())
        let loader = ScriptedDataLoader(fakeImages(4, 3))
        let stores: [any ByteStore] = [isPartial ? store : hung]
        var configuration = AdmissionBench.configuration(FakeImageDecoder(), stores: stores, loader)
        configuration.partialStore = isPartial ? hung : store
        configuration.shutdownGrace = .milliseconds(1)
        let (isInTime, closing) = await ends(ImagePipeline(configuration))
        #expect(isInTime, "it waits longer than shutdownGrace")
        hung.gate.open()
        _ = await closing.result
    }
}

private struct HungCloseStore: ForwardingByteStore {
    let base = FakeByteStore()
    let gate = AsyncGate()

    func close() async throws {
        await gate.wait()
        try await base.close()
    }
}
