import CalotypeTesting
import FoundationEssentials
import PipelineSupport
import TestSupport
import Testing

@testable import Calotype

@Suite(.gated) struct HungStoreTests {
    private let store = HeldByteStore()

    private func bench(
        _ configure: (inout ImagePipeline.Configuration) -> Void = { _ in },
        answer: @escaping ScriptedDataLoader.Script
    ) -> PipelineBench {
        PipelineBench(
            { configuration in
                configuration.cache = ImageCache(
                    memory: ImageCache.Memory(costLimit: 0),
                    stores: [store],
                    codecs: configuration.cache.codecs
                )
                configure(&configuration)
            },
            answer: answer
        )
    }

    private func load(_ bench: PipelineBench, _ change: (inout ImageRequest) -> Void) async throws -> Int {
        try await bench.pipeline.image(
            for: bench.request {
                $0.waitsForStore = false
                change(&$0)
            }
        ).size.width
    }

    @Test func `a hanging removal does not delay the result of a call`() async throws {
        var store = HeldByteStore()
        store.holdsRemovals = true
        let bench = PipelineBench {
            $0.cache = ImageCache(
                memory: ImageCache.Memory(costLimit: 0),
                stores: [store],
                codecs: $0.cache.codecs
            )
            $0.storeTimeout = .milliseconds(20)
        } answer: { request, number in
            guard number == 0 else {
                throw FetchError(.unacceptableStatus, status: 404, detail: "it is gone")
            }
            let data = FakeImageDecoder.data(width: 40, height: 30)
            return .network(request.url, data, ["Cache-Control": "max-age=10", "ETag": "\"1\""])
        }
        let request = bench.request { ($0.httpCaching, $0.waitsForStore) = (.respectsHTTP, true) }
        _ = try await bench.pipeline.image(for: request)
        bench.time.advance(by: .seconds(86_400))
        let error = await #expect(throws: LoadError.self) { try await bench.pipeline.image(for: request) }
        #expect(error?.isGone == true)
        store.gate.open()
    }

    @Test func `bytes being written are returned only while they are fresh`() async throws {
        let bench = bench { request, number in
            let data = FakeImageDecoder.data(width: 40 + number, height: 30)
            return .network(request.url, data, ["Cache-Control": "max-age=10"])
        }
        let respecting: (inout ImageRequest) -> Void = { $0.httpCaching = .respectsHTTP }
        #expect(try await load(bench, respecting) == 40)
        #expect(try await load(bench, respecting) == 40)
        bench.time.advance(by: .seconds(86_400))
        #expect(try await load(bench, respecting) == 41)
        bench.time.advance(by: .seconds(86_400))
        #expect(try await load(bench, respecting) == 42)
        store.gate.open()
        await bench.pipeline.untilIdle()
    }

    @Test func `a variant being written is not returned after its source has changed`() async throws {
        let bench = bench { request, number in
            let data = FakeImageDecoder.data(width: 40 + number, height: 30)
            return .network(request.url, data, ["Cache-Control": "max-age=10"])
        }
        func encoded() async throws -> EncodedImage {
            try await bench.pipeline.data(
                for: bench.request {
                    ($0.waitsForStore, $0.httpCaching, $0.encoding) = (false, .respectsHTTP, .png)
                    $0.cachePolicy.variantOnDisk = .readWrite
                }
            )
        }
        #expect(try await encoded().info.size.width == 40)
        bench.time.advance(by: .seconds(20))
        #expect(try await load(bench) { $0.httpCaching = .respectsHTTP } == 41)
        let second = try await encoded()
        #expect((second.info.size.width, second.isStale) == (41, false))
        store.gate.open()
        await bench.pipeline.untilIdle()
    }

    @Test(arguments: ["no-cache", "max-age=0, must-revalidate"])
    func `bytes that require revalidation are not returned while they are being written`(rule: String)
        async throws
    {
        let bench = bench { request, number in
            let data = FakeImageDecoder.data(width: 40 + number, height: 30)
            return .network(request.url, data, ["Cache-Control": rule])
        }
        for number in 0..<3 {
            #expect(try await load(bench) { $0.httpCaching = .respectsHTTP } == 40 + number)
        }
        store.gate.open()
        await bench.pipeline.untilIdle()
    }

    @Test func `a refresh does not return bytes that are being written`() async throws {
        let bench = bench { request, number in
            .network(request.url, FakeImageDecoder.data(width: 40 + number, height: 30))
        }
        #expect(try await load(bench) { _ in } == 40)
        #expect(try await load(bench) { _ in } == 40)
        for number in 1...3 { #expect(try await load(bench) { $0.cachePolicy = .refresh } == 40 + number) }
        store.gate.open()
        await bench.pipeline.untilIdle()
    }

    @Test func `shutdown throws if a write is unfinished after its grace period`() async throws {
        let bench = bench({ $0.shutdownGrace = .milliseconds(20) }) { request, _ in
            .network(request.url, FakeImageDecoder.data(width: 4, height: 3))
        }
        _ = try await load(bench) { _ in }
        let error = try await #require(throws: LoadError.self) { try await bench.pipeline.shutdown() }
        #expect(error.stage == .store)
        store.gate.open()
        await bench.pipeline.untilIdle()
    }

    @Test func `cancelling a shutdown ends its wait`() async throws {
        let bench = bench({ $0.shutdownGrace = .seconds(86_400) }) { request, _ in
            .network(request.url, FakeImageDecoder.data(width: 4, height: 3))
        }
        _ = try await load(bench) { _ in }
        await store.reached.wait()
        let closing = Task { try await bench.pipeline.shutdown() }
        closing.cancel()
        await #expect(throws: LoadError.self) { try await closing.value }
        store.gate.open()
        await bench.pipeline.untilIdle()
    }

    @Test func `closing shared work does not cancel an operation that has delivered its value`() async throws
    {
        let cancelled = SharedState(false)
        let work = SharedWork<Int, Int, NoProgress>()
        let (delivered, gate) = (AsyncGate(), AsyncGate())
        #expect(
            try await work.value(for: 1) { context in
                context.deliver(1, later: 1)
                delivered.open()
                await gate.wait()
                cancelled.withLock { $0 = Task.isCancelled }
                return .delivered
            } == 1
        )
        await delivered.wait()
        work.close()
        gate.open()
        await work.untilIdle()
        #expect(!cancelled.value)
    }

    @Test func `shutdown does not wait for a background revalidation`() async throws {
        let (reached, cancelled) = (AsyncGate(), AsyncGate())
        let bench = PipelineBench({ $0.shutdownGrace = .seconds(86_400) }) { request, number in
            if number == 1 {
                reached.open()
                await withTaskCancellationHandler {
                    await cancelled.wait()
                } onCancel: {
                    cancelled.open()
                }
                throw CancellationError()
            }
            let headers = ["Cache-Control": "max-age=60, stale-while-revalidate=60"]
            return .network(request.url, FakeImageDecoder.data(width: 4, height: 3), headers)
        }
        let request = bench.request { $0.httpCaching = .respectsHTTP }
        _ = try await bench.pipeline.image(for: request)
        bench.time.advance(by: .seconds(90))
        _ = try await bench.pipeline.image(for: request)
        await reached.wait()
        try await bench.pipeline.shutdown()
    }

    @Test func `a store read that times out is abandoned and the image is loaded`() async throws {
        let store = HeldByteStore(holdsReads: true)
        let failures = SharedState<[String]>([])
        let bench = PipelineBench { configuration in
            configuration.cache = ImageCache(
                memory: ImageCache.Memory(costLimit: 0),
                stores: [store],
                codecs: configuration.cache.codecs
            )
            configuration.storeTimeout = .milliseconds(1)
            configuration.observers = [StoreFailures(labels: failures)]
        } answer: { request, _ in
            .network(request.url, FakeImageDecoder.data(width: 4, height: 3))
        }
        // More than the limit of concurrent reads, and more than may time out before reads stop.
        try await withThrowingTaskGroup(of: Int.self) { group in
            for number in 0..<300 {
                group.addTask {
                    let url = try #require(URL(string: "https://example.org/\(number).fake"))
                    var request = ImageRequest(url: url)
                    request.cachePolicy.original = .readOnly
                    return try await bench.pipeline.image(for: request).size.width
                }
            }
            for try await width in group { #expect(width == 4) }
        }
        #expect(failures.value == Array(repeating: "storeSlow", count: 300))
        #expect(bench.pipeline.stages.limits.reading.runningCount == 0)
        #expect(store.readCount.value < 300)
        store.gate.open()
    }

    private struct StoreFailures: PipelineObserver {
        let labels: SharedState<[String]>

        func didFailToStore(_ request: ImageRequest, error: LoadError) {
            labels.withLock { $0.append(error.codeLabel) }
        }
    }
}
