import CalotypeTesting
import FoundationEssentials
import PipelineSupport
import TestSupport
import Testing

@testable import Calotype

@Suite(.gated) struct RequestOptionsTests {
    private static let picture = FakeImageDecoder.data(width: 40, height: 30)

    private func bench(_ configure: (inout ImagePipeline.Configuration) -> Void = { _ in }) -> PipelineBench {
        PipelineBench(configure) { request, _ in .network(request.url, Self.picture) }
    }

    private func key(_ request: ImageRequest) async throws -> String {
        try await bench().pipeline.key(for: request).rawValue
    }

    @Test func `requests with the same source key share an entry although their URLs differ`() async throws {
        let bench = bench()
        var first: ImageRequest = "https://a.example/1.fake?signature=1"
        var second: ImageRequest = "https://b.example/1.fake?signature=2"
        first.options.sourceKey = "picture 1"
        second.options.sourceKey = "picture 1"
        first.waitsForStore = true
        _ = try await bench.pipeline.load(first)
        #expect(try await bench.pipeline.load(second).source == .memory)
        #expect(bench.store.keys == ["picture 1"])
        second.decoding.target = .fit(width: 4)
        #expect(try await bench.pipeline.load(second).source == .disk, "another variant of the same")
        second.headers["Authorization"] = "Bearer b"
        #expect(try await bench.pipeline.load(second).source == .network, "whose it is still counts")
    }

    @Test func `source keys may contain any text and stay distinct`() async throws {
        var keys: Set<String> = []
        for text in ["a", "a#b", "a#", "a%23b", "#"] {
            var request: ImageRequest = "https://a.example/1.fake"
            request.options.sourceKey = text
            let key = try await key(request)
            #expect(!key.dropFirst().contains("#"), "what follows would pass for a variant")
            keys.insert(key)
        }
        #expect(keys.count == 5)
    }

    @Test func `the key of a data URL contains its digest, also with options`() async throws {
        let text = "data:image/fake;base64," + Data(count: 30_000).base64EncodedString()
        var request = try ImageRequest(text)
        let plain = try await key(request)
        request.options.serializer = NamedValue("sealing-1", Sealing())
        let key = try await key(request)
        #expect(key.hasPrefix(plain) && key.utf8.count < 150)
    }

    @Test func `an option reset to its default leaves a request equal to a plain one`() {
        let plain: ImageRequest = "https://a.example/1.fake"
        var set = plain
        set.options.acceptsLargerImage = true
        #expect(set != plain && set.plainIdentity.value?.key == plain.plainIdentity.value?.key)
        set.options.acceptsLargerImage = false
        #expect(set == plain && set.optionsBox == nil)
    }

    @Test func `method and body are sent and are part of the key`() async throws {
        let bench = bench()
        var request = bench.request()
        request.options.body = Data("a".utf8)
        #expect(request.options.method == "POST")
        _ = try await bench.pipeline.load(request)
        #expect(bench.loader.requests.map(\.method) == ["POST"])
        #expect(bench.loader.requests.map(\.body) == [Data("a".utf8)])
        #expect(try await bench.pipeline.load(request).source == .memory)
        request.options.body = Data("b".utf8)
        #expect(try await bench.pipeline.load(request).source == .network)
        #expect(try await bench.pipeline.load(bench.request()).source == .network)
        request.options.method = "QUERY"
        #expect(try await bench.pipeline.load(request).source == .network)
        #expect(bench.loader.requests.count == 4)
    }

    @Test func `a POST response is neither revalidated nor stored under HTTP caching`() async throws {
        let bench = PipelineBench { request, _ in
            .network(request.url, Self.picture, ["ETag": "\"a\"", "Cache-Control": "no-cache"])
        }
        let request = bench.request {
            $0.options.body = Data("a".utf8)
            $0.httpCaching = .respectsHTTP
        }
        for _ in 0..<2 { #expect(try await bench.pipeline.load(request).source == .network) }
        #expect(bench.sent("If-None-Match") == [nil, nil])
        #expect(bench.store.keys.isEmpty)
    }

    @Test func `a request body is not sent to an alternative of another origin`() async throws {
        let bench = PipelineBench { _, _ in throw FetchError(.timedOut, detail: "") }
        let texts = ["https://mirror.example.com/a.fake", "https://example.org/b.fake"]
        let urls = texts.compactMap { URL(string: $0) }
        let request = bench.request {
            $0.options.body = Data("a".utf8)
            $0.alternatives = urls
        }
        await #expect(throws: LoadError.self) { try await bench.pipeline.load(request) }
        #expect(bench.loader.requests.map(\.url) == [PipelineBench.url, urls[1]])
    }

    @Test func `a request may have its own loader, whose name is in the key`() async throws {
        let bench = bench()
        let own = ScriptedDataLoader(fakeImages(4, 3))
        var request = bench.request()
        request.options.loader = NamedValue("archive-1", own)
        #expect(try await bench.pipeline.image(for: request).width == 4)
        #expect(try await bench.pipeline.image(for: bench.request()).width == 40)
        #expect((own.requests.count, bench.loader.requests.count) == (1, 1))
    }

    @Test func `a request may have a middleware that decrypts its response`() async throws {
        let bench = bench()
        let sealed = ScriptedDataLoader { request, _ in
            .network(request.url, Data(FakeImageDecoder.data(width: 4, height: 3).map { $0 ^ 0x5A }))
        }
        let opening = BodyTransform { bytes in Data(bytes.map { $0 ^ 0x5A }) }
        var request = bench.request { $0.waitsForStore = true }
        request.options.loader = NamedValue("sealed-1", MiddlewareLoader(sealed, [opening]))
        #expect(try await bench.pipeline.image(for: request).width == 4)
        #expect(try await bench.pipeline.load(request).source == .memory)
        #expect(try await bench.pipeline.image(for: bench.request()).width == 40)
        #expect((sealed.requests.count, bench.loader.requests.count) == (1, 1))
    }

    @Test func `bytes of a closure are cached by the key of the request`() async throws {
        let (bench, count) = (bench(), SharedState(0))
        let request = { (key: String) in
            ImageRequest(key: key) {
                count.withLock { $0 += 1 }
                return Self.picture
            }
        }
        let loaded = try await bench.pipeline.load(request("frame 7"))
        #expect((loaded.source, loaded.image.width) == (.data, 40))
        #expect(try await bench.pipeline.load(request("frame 7")).source == .memory)
        _ = try await bench.pipeline.load(request("frame 8"))
        #expect(count.value == 2)
        #expect(bench.loader.requests.isEmpty)
    }

    @Test func `a closure that returns more than the byte limit throws`() async throws {
        var request = ImageRequest(key: "large") { Self.picture }
        request.decoding.limits.maxByteCount = 4
        let error = await #expect(throws: LoadError.self) { try await bench().pipeline.load(request) }
        #expect(error?.code == .bodyTooLarge)
    }

    /// A decoder of the fake format whose images have one pixel.
    private struct OnePixel: ImageDecoder {
        var formats: [ImageFormat] { [FakeImageDecoder.format] }
        func recognizes(_ data: Data) -> ImageFormat? { FakeImageDecoder().recognizes(data) }
        func info(of data: Data, limits: DecodeLimits) throws(DecodeError) -> ImageInfo {
            try FakeImageDecoder().info(of: data, limits: limits)
        }
        func decode(_ data: Data, options: DecodeOptions) throws(DecodeError) -> Image {
            try FakeImageDecoder().decode(FakeImageDecoder.data(width: 1, height: 1), options: options)
        }
    }

    @Test func `a request with its own codecs shares the bytes but no pixels`() async throws {
        let bench = bench()
        var codecs = CodecRegistry()
        codecs.register(OnePixel())
        var request = bench.request()
        request.options.codecs = NamedValue("one-pixel-1", codecs)
        #expect(try await bench.pipeline.image(for: request).width == 1)
        #expect(try await bench.pipeline.image(for: bench.request()).width == 40)
        #expect(try await bench.pipeline.image(for: request).width == 1)
        #expect(bench.loader.requests.count == 1, "the bytes are the same")
    }

    /// A serializer that prefixes bytes with a word and records the widths of images.
    private struct Sealing: CacheSerializer {
        let widths = SharedState<[Int?]>([])
        var usesDecodedImage: Bool { true }
        func serialize(_ data: Data, for request: ImageRequest) throws -> Data { data }
        func serialize(_ data: Data, decodedTo image: Image?, for request: ImageRequest) throws -> Data {
            widths.withLock { $0.append(image?.width) }
            return Data("sealed".utf8) + data
        }
        func deserialize(_ data: Data, for request: ImageRequest) throws -> Data { Data(data.dropFirst(6)) }
    }

    @Test func `a request may have its own serializer, which receives the image`() async throws {
        let (bench, sealing) = (bench(), Sealing())
        var request = bench.request()
        request.options.serializer = NamedValue("sealing-1", sealing)
        _ = try await bench.pipeline.load(request)
        #expect(sealing.widths.value == [40])
        bench.pipeline.cache.removeAllFromMemory()
        #expect(try await bench.pipeline.load(request).source == .disk)
        _ = try await bench.pipeline.load(bench.request())
        #expect(bench.store.keys.count == 2, "what others could not read has a key of its own")
    }

    @Test func `a modifier changes the returned image but not the cached one`() async throws {
        let bench = bench()
        var request = bench.request()
        request.options.modifier = NamedValue("twice") { $0.replacing(animation: nil, scale: 2) }
        for source in [LoadedImage.Source.network, .memory] {
            let loaded = try await bench.pipeline.load(request)
            #expect((loaded.image.scale, loaded.source) == (2, source))
        }
        #expect(bench.pipeline.residentImage(for: request)?.scale == 2)
        #expect(bench.pipeline.residentImage(for: bench.request())?.scale == 1)
    }

    @Test func `retry and redirect rules reach the loader and loads that differ in them are not shared`()
        async throws
    {
        let (gate, reached) = (AsyncGate(), AsyncGate())
        let bench = PipelineBench { request, number in
            if number == 0 {
                reached.open()
                await gate.wait()
            }
            return .network(request.url, Self.picture)
        }
        var request = bench.request()
        request.options.retryRule = NamedValue("never", RetryPolicy.none)
        request.options.permitsRedirect = NamedValue("https only") { $0.scheme == "https" }
        let first = Task { [request] in try await bench.pipeline.load(request) }
        await reached.wait()
        let second = try await bench.pipeline.load(bench.request { $0.cachePolicy = .disabled })
        #expect(second.source == .network)
        gate.open()
        _ = try await first.value
        let sent = try #require(bench.loader.requests.first)
        #expect(sent.retryRule is RetryPolicy)
        #expect(sent.permitsRedirect?(PipelineBench.url) == true)
        #expect(bench.loader.requests.count == 2)
    }
}
