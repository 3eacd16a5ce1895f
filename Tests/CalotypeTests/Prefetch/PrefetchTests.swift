import Calotype
import CalotypeTesting
import FoundationEssentials
import PipelineSupport
import TestSupport
import Testing

/// A pipeline whose loader has ten images and one page that is not an image.
private struct Bench {
    let loader: GatedDataLoader
    let store = FakeByteStore()
    let decoder = FakeImageDecoder()
    let pipeline: ImagePipeline

    init(isGated: Bool = false, nearer: [FakeByteStore] = []) throws {
        var answers: [URL: StubDataLoader.Response] = [:]
        for index in 0..<10 {
            answers[try Self.url("\(index)")] = .data(FakeImageDecoder.data(width: index + 1, height: 1))
        }
        answers[try Self.url("page")] = .data(Data("<html>".utf8))
        loader = GatedDataLoader(StubDataLoader(answers))
        if !isGated { loader.releaseAll() }
        var codecs = CodecRegistry()
        codecs.register(decoder)
        codecs.register(PNGDecoder())
        pipeline = ImagePipeline(
            ImagePipeline.Configuration(
                cache: ImageCache(stores: nearer + [store], codecs: codecs),
                loader: loader
            )
        )
    }

    static func url(_ name: String) throws -> URL {
        try #require(URL(string: "https://a.org/\(name)"))
    }

    func requests(_ names: String...) throws -> [ImageRequest] {
        try names.map { ImageRequest(url: try Self.url($0)) }
    }

    var all: [ImageRequest] {
        get throws { try (0..<10).map { ImageRequest(url: try Self.url("\($0)")) } }
    }
}

extension PrefetchOutcome {
    fileprivate var summary: String {
        switch self {
        case .loaded(let source): "loaded from \(source)"
        case .skipped: "skipped"
        case .failed(let error): "failed: \(error.codeLabel)"
        }
    }
}

@Suite(.gated) struct PrefetchTests {
    @Test func `prefetching to memory makes every image resident`() async throws {
        let bench = try Bench()
        let requests = try bench.all
        let report = try await bench.pipeline.prefetch(requests)
        #expect(report.loadedCount == 10)
        #expect(report.totalCount == 10)
        #expect(requests.allSatisfy { bench.pipeline.residentImage(for: $0) != nil })
    }

    @Test func `a prefetch to disk succeeds although a nearer store cannot be read`() async throws {
        let nearer = FakeByteStore(name: "nearer", isWritable: false)
        nearer.fail(with: DiskCacheError(.inputOutput, detail: "any error"))
        let bench = try Bench(nearer: [nearer])
        let request = try bench.requests("3")
        let report = try await bench.pipeline.prefetch(request, to: .disk)
        #expect(report.loadedCount == 1)
        #expect(bench.store.keys.count == 1)
    }

    @Test func `a prefetch to disk succeeds although its store does not respond to queries`() async throws {
        var store = HeldByteStore()
        store.holdsQueries = true
        let bench = PipelineBench {
            $0.cache = ImageCache(
                memory: ImageCache.Memory(costLimit: 0),
                stores: [store],
                codecs: $0.cache.codecs
            )
            $0.storeTimeout = .milliseconds(20)
        } answer: { request, _ in
            .network(request.url, FakeImageDecoder.data(width: 4, height: 3))
        }
        let report = try await bench.pipeline.prefetch([bench.request()], to: .disk)
        #expect((report.loadedCount, report.failedCount) == (1, 0))
        store.gate.open()
    }

    @Test func `prefetching to disk stores images without decoding them or caching them in memory`()
        async throws
    {
        let bench = try Bench()
        let report = try await bench.pipeline.prefetch(try bench.all, to: .disk)
        #expect(report.loadedCount == 10)
        #expect(bench.store.keys.count == 10)
        #expect(bench.decoder.decodeCount == 0)
        #expect(bench.pipeline.cache.statistics.memory.count == 0)
    }

    @Test(arguments: [PrefetchDestination.memory, .disk])
    func `images cached at the destination are skipped and not loaded again`(destination: PrefetchDestination)
        async throws
    {
        let bench = try Bench()
        try await bench.pipeline.prefetch(try bench.requests("1", "2"), to: destination)
        let report = try await bench.pipeline.prefetch(try bench.requests("1", "2", "3"), to: destination)
        #expect(report.skippedCount == 2)
        #expect(report.loadedCount == 1)
        #expect(bench.loader.counts.started == 3)
    }

    @Test func `prefetching to memory loads a stored image from disk`() async throws {
        let bench = try Bench()
        try await bench.pipeline.prefetch(try bench.requests("1"), to: .disk)
        var outcomes: [String] = []
        try await bench.pipeline.prefetch(try bench.requests("1")) { outcomes.append($0.outcome.summary) }
        #expect(outcomes == ["loaded from disk"])
    }

    @Test func `a failed image is counted and the others are loaded`() async throws {
        let bench = try Bench()
        var outcomes: [String] = []
        let report = try await bench.pipeline.prefetch(
            try bench.requests("1", "absent", "page", "2"),
            maxConcurrency: 1
        ) { step in
            outcomes.append(step.outcome.summary)
        }
        #expect(
            outcomes == [
                "loaded from network", "failed: fileNotFound", "failed: unrecognizedFormat",
                "loaded from network",
            ]
        )
        #expect(report.failedCount == 2)
        #expect(report.finishedCount == 4)
    }

    @Test func `a failing store write is a failure of a prefetch to disk`() async throws {
        let bench = try Bench()
        bench.store.fail(with: FetchError(.closed, detail: "any error"))
        let report = try await bench.pipeline.prefetch(try bench.requests("1"), to: .disk)
        #expect(report.failedCount == 1)
    }

    @Test func `three requests load at once by default and the sequence is read lazily`() async throws {
        let bench = try Bench(isGated: true)
        let all = try bench.all
        let taken = SharedState(0)
        let task = Task {
            let requests = all.lazy.map { request in
                taken.withLock { $0 += 1 }
                return request
            }
            return try await bench.pipeline.prefetch(AnySequence(requests))
        }
        for index in 0..<8 {
            await bench.loader.until { $0.started == index + 3 }
            #expect(bench.loader.counts.waiting == 3)
            #expect(taken.value <= index + 4)
            bench.loader.release()
        }
        bench.loader.releaseAll()
        let report = try await task.value
        #expect(report.loadedCount == 10)
        #expect(report.totalCount == 10)
    }

    @Test func `a concurrency limit of one loads one image at a time`() async throws {
        let bench = try Bench(isGated: true)
        let all = try bench.all
        let task = Task { try await bench.pipeline.prefetch(all, maxConcurrency: 1) }
        await bench.loader.until { $0.started == 1 }
        bench.loader.release()
        await bench.loader.until { $0.started == 2 }
        #expect(bench.loader.counts.waiting == 1)
        bench.loader.releaseAll()
        _ = try await task.value
    }

    @Test func `ten thousand requests for one image make one download`() async throws {
        let bench = try Bench()
        let request = try bench.requests("1")[0]
        let report = try await bench.pipeline.prefetch(repeatElement(request, count: 10_000))
        #expect(report.finishedCount == 10_000)
        #expect(report.loadedCount + report.skippedCount == 10_000)
        #expect(bench.loader.counts.started == 1)
    }

    @Test func `progress counts up to the total, which is known from the start for a collection`()
        async throws
    {
        let bench = try Bench()
        var reports: [PrefetchReport] = []
        try await bench.pipeline.prefetch(try bench.all) { reports.append($0.report) }
        #expect(reports.map(\.finishedCount) == Array(1...10))
        #expect(reports.allSatisfy { $0.totalCount == 10 })
    }

    // SDWebImage's prefetcher: a cancelled token reports nothing more.
    @Test func `cancelling a prefetch cancels every load and reports no further step`() async throws {
        let bench = try Bench(isGated: true)
        let all = try bench.all
        let told = SharedState(0)
        let task = Task {
            try await bench.pipeline.prefetch(all) { _ in told.withLock { $0 += 1 } }
        }
        await bench.loader.until { $0.waiting == 3 }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        await bench.loader.until { $0.cancelled == 3 }
        #expect(bench.loader.counts.started == 3)
        #expect(told.value == 0)
    }

    @Test func `a loader that throws CancellationError by itself fails only its own load`() async throws {
        let bench = PipelineBench { request, _ in
            if request.url.lastPathComponent == "1" { throw CancellationError() }
            return .network(request.url, FakeImageDecoder.data(width: 4, height: 3))
        }
        let requests = try (0..<3).map { ImageRequest(url: try Bench.url("\($0)")) }
        let report = try await bench.pipeline.prefetch(requests)
        #expect(report.loadedCount == 2)
        #expect(report.failedCount == 1)
        let error = try await #require(throws: LoadError.self) { try await bench.pipeline.load(requests[1]) }
        #expect(error.codeLabel == "abandoned")
        #expect(error.isRetryable)
    }

    @Test func `prefetching no requests returns an empty report`() async throws {
        let report = try await Bench().pipeline.prefetch([])
        #expect(report.finishedCount == 0)
        #expect(report.totalCount == 0)
    }

    @Test func `prefetching to disk skips local files and data URLs`() async throws {
        let bench = try Bench()
        let requests: [ImageRequest] = ["/tmp/absent.png", "data:,x"]
        let report = try await bench.pipeline.prefetch(requests, to: .disk)
        #expect(report.skippedCount == 2)
        #expect(bench.loader.counts.started == 0)
    }

    @Test func `a request with an encoding stores its variant on disk and is skipped the next time`()
        async throws
    {
        let bench = try Bench()
        var request = try bench.requests("1")[0]
        request.encoding = ImageEncoding(PNGEncoder())
        let key = try await bench.pipeline.key(for: request)
        try await bench.pipeline.prefetch([request], to: .disk)
        #expect(bench.store.keys.contains(key.rawValue))
        #expect(try await bench.pipeline.prefetch([request], to: .disk).skippedCount == 1)
        #expect(bench.decoder.decodeCount == 1)
    }

    @Test func `prefetching to disk stores an image although its cache policy is disabled`() async throws {
        let bench = try Bench()
        var request = try bench.requests("1")[0]
        request.cachePolicy = .disabled
        try await bench.pipeline.prefetch([request], to: .disk)
        #expect(bench.store.keys.count == 1)
    }
}
