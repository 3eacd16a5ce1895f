import Calotype
import CalotypeTesting
import FoundationEssentials
import TestSupport
import Testing

/// A pipeline over doubles: a fake format, a store in memory, a loader that waits to be released.
private struct Bench {
    static let url = "https://example.org/a.fake"

    let decoder = FakeImageDecoder()
    let store = FakeByteStore()
    let loader: GatedDataLoader
    let pipeline: ImagePipeline
    let failures = SharedState<[String]>([])

    init(_ data: Data = FakeImageDecoder.data(width: 40, height: 30), isGated: Bool = false) {
        self.init(.data(data), isGated: isGated)
    }

    init(_ answer: StubDataLoader.Response, isGated: Bool = false) {
        // The literal is a URL.
        loader = GatedDataLoader(StubDataLoader([URL(string: Self.url)!: answer]))
        if !isGated { loader.releaseAll() }
        var codecs = CodecRegistry()
        codecs.register(decoder)
        pipeline = ImagePipeline(
            ImagePipeline.Configuration(
                cache: ImageCache(stores: [store], codecs: codecs),
                loader: loader,
                observers: [FailureObserver(failures: failures)]
            )
        )
    }

    func request(width: Int? = nil, policy: CachePolicy = .standard) -> ImageRequest {
        var request = ImageRequest(stringLiteral: Self.url)
        if let width { request.decoding.target = .fit(PixelBox(width: width)) }
        request.cachePolicy = policy
        request.waitsForStore = true
        return request
    }
}

private struct FailureObserver: PipelineObserver {
    let failures: SharedState<[String]>

    func didFailToStore(_ request: ImageRequest, error: LoadError) {
        failures.withLock { $0.append(error.stage.label) }
    }
}

@Suite(.gated) struct ImagePipelineTests {
    @Test func `an image comes from the network, then memory, then disk once memory is cleared`()
        async throws
    {
        let bench = Bench()
        #expect(try await bench.pipeline.load(bench.request()).source == .network)
        #expect(try await bench.pipeline.load(bench.request()).source == .memory)
        bench.pipeline.cache.removeAllFromMemory()
        #expect(try await bench.pipeline.load(bench.request()).source == .disk)
        #expect(bench.loader.counts.started == 1)
        #expect(bench.store.keys == [Bench.url])
    }

    @Test func `another size is decoded from the stored original without a second download`() async throws {
        let bench = Bench()
        _ = try await bench.pipeline.load(bench.request())
        let small = try await bench.pipeline.load(bench.request(width: 20))
        #expect(small.source == .disk)
        #expect(small.image.size == PixelSize(width: 20, height: 15))
        #expect(bench.loader.counts.started == 1)
    }

    @Test func `a thousand concurrent requests make one download and one decode`() async throws {
        let bench = Bench(isGated: true)
        let images = try await withThrowingTaskGroup(of: ObjectIdentifier.self) { group in
            for _ in 0..<1_000 {
                group.addTask { ObjectIdentifier(try await bench.pipeline.image(for: bench.request())) }
            }
            await bench.loader.until { $0.started == 1 }
            bench.loader.releaseAll()
            return try await group.reduce(into: Set()) { $0.insert($1) }
        }
        #expect(images.count == 1)
        #expect(bench.decoder.decodeCount == 1)
        #expect(bench.loader.counts.started == 1)
    }

    @Test func `concurrent requests for ten sizes make one download and at most ten decodes`() async throws {
        let bench = Bench(isGated: true)
        let widths = try await withThrowingTaskGroup(of: Int.self) { group in
            for index in 0..<1_000 {
                group.addTask {
                    try await bench.pipeline.image(for: bench.request(width: index % 10 + 1)).size.width
                }
            }
            await bench.loader.until { $0.started == 1 }
            bench.loader.releaseAll()
            return try await group.reduce(into: Set()) { $0.insert($1) }
        }
        #expect(widths == Set(1...10))
        #expect(bench.decoder.decodeCount <= 10)
        #expect(bench.loader.counts.started == 1)
    }

    @Test func `cancelling the last caller cancels the download`() async {
        let bench = Bench(isGated: true)
        let tasks = (0..<5).map { _ in Task { try await bench.pipeline.load(bench.request()) } }
        await bench.loader.until { $0.waiting == 1 }
        for task in tasks { task.cancel() }
        for task in tasks { await #expect(throws: CancellationError.self) { try await task.value } }
        // Callers that call after the others have left start a new load.
        await bench.loader.until { $0.started > 0 && $0.cancelled == $0.started }
        #expect(bench.store.keys == [])
    }

    @Test func `a failed load reports its stage and code and is not retried at once`() async throws {
        let bench = Bench(.failure(FetchError(.unacceptableStatus, status: 404, detail: "404")))
        for _ in 0..<2 {
            let error = try await #require(throws: LoadError.self) {
                try await bench.pipeline.load(bench.request())
            }
            #expect(error.stage == .load)
            #expect(error.codeLabel == "unacceptableStatus")
        }
        #expect(bench.loader.counts.started == 1)
        #expect(bench.store.keys == [])
    }

    @Test(arguments: ["<html>not a picture</html>", "", "fake:40x30 corrupt"])
    func `bytes that do not decode are not cached`(text: String) async throws {
        let bench = Bench(Data(text.utf8))
        let error = try await #require(throws: LoadError.self) {
            try await bench.pipeline.load(bench.request())
        }
        #expect(error.stage == .decode)
        #expect(bench.store.keys == [])
        #expect(bench.pipeline.cache.statistics.memory.count == 0)
    }

    @Test func `an entry that does not decode is removed and loaded again`() async throws {
        let bench = Bench()
        try await bench.store.store(Data("<html>".utf8), forKey: Bench.url, options: BlobOptions())
        #expect(try await bench.pipeline.load(bench.request()).source == .network)
        #expect(bench.store.operations.contains("remove \(Bench.url)"))
        bench.pipeline.cache.removeAllFromMemory()
        #expect(try await bench.pipeline.load(bench.request()).source == .disk)
    }

    @Test func `a cache-only request for an uncached image throws notInCache`() async throws {
        let bench = Bench()
        let error = try await #require(throws: LoadError.self) {
            try await bench.pipeline.load(bench.request(policy: .onlyFromCache))
        }
        #expect(error.codeLabel == "notInCache")
        #expect(bench.loader.counts.started == 0)
    }

    @Test func `a refresh loads again and replaces the cached entry`() async throws {
        let bench = Bench()
        _ = try await bench.pipeline.load(bench.request())
        #expect(try await bench.pipeline.load(bench.request(policy: .refresh)).source == .network)
        #expect(bench.loader.counts.started == 2)
        #expect(bench.store.operations.filter { $0.hasPrefix("store") }.count == 2)
        #expect(try await bench.pipeline.load(bench.request()).source == .memory)
    }

    @Test func `a disabled cache is neither read nor written`() async throws {
        let bench = Bench()
        #expect(try await bench.pipeline.load(bench.request(policy: .disabled)).source == .network)
        #expect(bench.store.operations == [])
        #expect(bench.pipeline.cache.statistics.memory.count == 0)
    }

    @Test func `a failing store is reported although the next store has the entry`() async throws {
        let bench = Bench()
        _ = try await bench.pipeline.load(bench.request())
        bench.pipeline.cache.removeAllFromMemory()
        let nearer = FakeByteStore(name: "nearer", isWritable: false)
        nearer.fail(with: FetchError(.closed, detail: "any error"))
        let codecs = bench.pipeline.cache.codecs
        let pipeline = ImagePipeline(
            ImagePipeline.Configuration(
                cache: ImageCache(stores: [nearer, bench.store], codecs: codecs),
                loader: bench.loader,
                observers: [FailureObserver(failures: bench.failures)]
            )
        )
        let loaded = try await pipeline.load(bench.request())
        #expect(loaded.source == .disk)
        #expect(bench.failures.value == ["cache"])
    }

    @Test func `a failing store write returns the image and reports the error`() async throws {
        let bench = Bench()
        bench.store.fail(with: FetchError(.closed, detail: "any error"))
        let loaded = try await bench.pipeline.load(bench.request(policy: CachePolicy(original: .writeOnly)))
        #expect(loaded.source == .network)
        #expect(loaded.storeFailure?.stage == .store)
        #expect(bench.failures.value == ["store"])
    }

    @Test func `a limit exceeded by one request does not fail another`() async throws {
        let bench = Bench()
        var small = bench.request()
        small.decoding.limits.maxPixelCount = 10
        let request = small
        let error = try await #require(throws: LoadError.self) { try await bench.pipeline.load(request) }
        #expect(error.codeLabel == "limitExceeded")
        #expect(try await bench.pipeline.load(bench.request()).image.size.width == 40)
    }

    @Test func `shutdown cancels waiting loads and closes the stores`() async throws {
        let bench = Bench(isGated: true)
        let task = Task { try await bench.pipeline.load(bench.request()) }
        await bench.loader.until { $0.waiting == 1 }
        try await bench.pipeline.shutdown()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(bench.store.isClosed)
    }

    @Test func `data is the original's bytes, shared with images, and only its header is decoded`()
        async throws
    {
        let bench = Bench()
        let encoded = try await bench.pipeline.data(for: bench.request())
        #expect(encoded.data == FakeImageDecoder.data(width: 40, height: 30))
        #expect(encoded.info.size == PixelSize(width: 40, height: 30))
        #expect(encoded.source == .network)
        #expect(bench.decoder.decodeCount == 0)
        #expect(try await bench.pipeline.data(for: bench.request()).source == .memory)
        #expect(try await bench.pipeline.load(bench.request()).source == .disk)
        #expect(bench.loader.counts.started == 1)
    }

    @Test func `data of an unrecognized format throws and is not stored`() async throws {
        let bench = Bench(Data("<html>".utf8))
        let error = try await #require(throws: LoadError.self) {
            try await bench.pipeline.data(for: bench.request())
        }
        #expect(error.codeLabel == "unrecognizedFormat")
        #expect(bench.store.keys == [])
    }

    @Test func `an entry that is not an image is replaced when its data is requested`() async throws {
        let bench = Bench()
        try await bench.store.store(Data("<html>".utf8), forKey: Bench.url, options: BlobOptions())
        #expect(try await bench.pipeline.data(for: bench.request()).source == .network)
        #expect(try await bench.pipeline.data(for: bench.request()).source == .memory)
    }
}
