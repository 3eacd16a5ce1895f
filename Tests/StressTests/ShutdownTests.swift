import CalotypeTesting
import FoundationEssentials
import PipelineSupport
import TestSupport
import Testing

@testable import Calotype

@Suite(.gated)
struct `Shutting down` {
    private static func picture(_ suffix: String = "") -> Data {
        FakeImageDecoder.data(width: 40, height: 30, suffix: suffix)
    }

    @Test func `a shutdown ends while callers continue to send requests`() async throws {
        let bench = PipelineBench { fetch, _ in
            await Task.yield()
            return .network(fetch.url, Self.picture())
        }
        let isOver = SharedState(false)
        let callers = (0..<20).map { caller in
            Task {
                var number = 0
                while !isOver.value {
                    number += 1
                    let request = ImageRequest(url: PipelineBench.url.appending(path: "\(caller)/\(number)"))
                    _ = try? await bench.pipeline.load(request)
                    // A call that fails at once does not suspend.
                    await Task.yield()
                }
            }
        }
        while bench.loader.requests.count < 100 { await Task.yield() }
        try await bench.pipeline.shutdown()
        isOver.withLock { $0 = true }
        for caller in callers { await caller.value }
    }

    @Test func `a load that arrives during cancellations does not delay the shutdown`() async throws {
        let (hasStarted, wasCancelled, lateHasEnded) = (AsyncGate(), AsyncGate(), AsyncGate())
        let bench = PipelineBench { _, number in
            if number == 0 {
                hasStarted.open()
                do {
                    try await untilCancelled()
                } catch {
                    wasCancelled.open()
                    await lateHasEnded.wait()
                }
            }
            try await untilCancelled()
            throw CancellationError()
        }
        let first = Task { try await bench.pipeline.load(bench.request()) }
        await hasStarted.wait()
        let late = Task {
            defer { lateHasEnded.open() }
            await wasCancelled.wait()
            let url = PipelineBench.url.appending(path: "another")
            _ = try await bench.pipeline.load(ImageRequest(url: url))
        }
        try await bench.pipeline.shutdown()
        await #expect(throws: CancellationError.self) { try await first.value }
        let error = try await #require(throws: LoadError.self) { try await late.value }
        #expect(error.codeLabel == "closed")
    }

    @Test func `a load after the shutdown fails as closed, and loads nothing`() async throws {
        let bench = PipelineBench { fetch, _ in .network(fetch.url, Self.picture()) }
        try await bench.pipeline.shutdown()
        let calls: [@Sendable () async throws -> Void] = [
            { _ = try await bench.pipeline.load(bench.request()) },
            { _ = try await bench.pipeline.data(for: bench.request()) },
            { _ = try await bench.pipeline.image(for: bench.request(width: 20)) },
            { for try await _ in bench.pipeline.events(for: bench.request()) {} },
        ]
        for call in calls {
            let error = try await #require(throws: LoadError.self) { try await call() }
            #expect(error.codeLabel == "closed")
        }
        #expect(bench.loader.requests.isEmpty)
    }

    @Test func `a delivered image that is being written is in the store after the shutdown`() async throws {
        let folder = try ScratchFolder()
        let url = PipelineBench.url
        let loader = StubDataLoader([url: .data(Self.picture())])
        func pipeline() throws -> ImagePipeline {
            var codecs = CodecRegistry.standard
            codecs.register(FakeImageDecoder())
            let disk = try DiskCache(DiskCache.Configuration(root: folder.path))
            let cache = ImageCache(stores: [disk], codecs: codecs)
            return ImagePipeline(.init(cache: cache, loader: loader).patient)
        }
        let first = try pipeline()
        _ = try await first.load(ImageRequest(url: url))
        try await first.shutdown()
        let second = try pipeline()
        #expect(try await second.load(ImageRequest(url: url)).source == .disk)
        try await second.shutdown()
    }

    @Test func `concurrent shutdowns and a later one all return`() async throws {
        let bench = PipelineBench { fetch, _ in .network(fetch.url, Self.picture()) }
        _ = try await bench.pipeline.load(bench.request())
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<5 { group.addTask { try await bench.pipeline.shutdown() } }
            try await group.waitForAll()
        }
        try await bench.pipeline.shutdown()
    }
}
