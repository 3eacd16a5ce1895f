import CalotypeTesting
import FoundationEssentials
import PipelineSupport
import TestSupport
import Testing

@testable import Calotype

@Suite(.blocking) struct EncodedVariantTests {
    private static let photograph = TestImages.photograph(PixelSize(width: 120, height: 90))

    private func bench(_ configure: (inout ImagePipeline.Configuration) -> Void = { _ in }) throws
        -> PipelineBench
    {
        let data = try PNGEncoder().encode(Self.photograph)
        return PipelineBench(configure) { request, _ in .network(request.url, data) }
    }

    private func request(_ bench: PipelineBench) -> ImageRequest {
        bench.request(width: 60) { $0.encoding = ImageEncoding(JPEGEncoder(quality: 70)) }
    }

    @Test func `data has the requested encoding and size and is cached on disk and in memory`() async throws {
        let bench = try bench()
        let first = try await bench.pipeline.data(for: request(bench))
        #expect((first.info.format, first.info.size) == (.jpeg, PixelSize(width: 60, height: 45)))
        #expect(first.source == .network)
        #expect(first.receivedAt == bench.time.now())
        let second = try await bench.pipeline.data(for: request(bench))
        #expect((second.source, second.data) == (.memory, first.data))
        bench.pipeline.stages.sources.encodedMemory.removeAll()
        let third = try await bench.pipeline.data(for: request(bench))
        #expect((third.source, third.data) == (.disk, first.data))
        #expect(bench.store.keys.count == 2, "the original and the variant")
        #expect(bench.loader.requests.count == 1)
    }

    @Test func `an image with an encoding is the same from the network and from disk`() async throws {
        let bench = try bench()
        let first = try await bench.pipeline.load(request(bench))
        bench.pipeline.cache.removeAllFromMemory()
        bench.pipeline.stages.sources.encodedMemory.removeAll()
        let second = try await bench.pipeline.load(request(bench))
        #expect((first.source, second.source) == (.network, .disk))
        #expect(first.image.rgba8() == second.image.rgba8())
        #expect(bench.store.operations.filter { $0.hasPrefix("store") }.count == 2)
    }

    @Test func `a variant stored without an encoding is lossless`() async throws {
        let bench = try bench()
        let request = bench.request(width: 60) { $0.cachePolicy.variantOnDisk = .readWrite }
        let first = try await bench.pipeline.load(request)
        bench.pipeline.cache.removeAllFromMemory()
        let second = try await bench.pipeline.load(request)
        #expect(second.source == .disk)
        #expect(first.image.rgba8() == second.image.rgba8())
        #expect(bench.store.keys.count == 2)
    }

    @Test func `a variant equal to its original is not stored twice`() async throws {
        let bench = try bench()
        _ = try await bench.pipeline.load(bench.request { $0.cachePolicy.variantOnDisk = .readWrite })
        #expect(bench.store.keys == [PipelineBench.url.absoluteString])
    }

    @Test func `a variant of a memory-only request is not stored`() async throws {
        let bench = try bench()
        var request = request(bench)
        request.cachePolicy = .memoryOnly
        _ = try await bench.pipeline.data(for: request)
        #expect(bench.store.operations == [])
    }

    @Test func `a hundred calls for images and data of one variant load and store it once`() async throws {
        let bench = try bench()
        let request = request(bench)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for index in 0..<100 {
                group.addTask {
                    if index % 2 == 0 {
                        _ = try await bench.pipeline.image(for: request)
                    } else {
                        _ = try await bench.pipeline.data(for: request)
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(bench.loader.requests.count == 1)
        #expect(bench.store.operations.filter { $0.hasPrefix("store") }.count == 2)
    }

    @Test func `a damaged stored variant is encoded again from the original`() async throws {
        let bench = try bench()
        let key = try await bench.pipeline.key(for: request(bench))
        try await bench.store.store(Data("<html>".utf8), forKey: key.rawValue, options: BlobOptions())
        let data = try await bench.pipeline.data(for: request(bench))
        #expect(data.info.format == .jpeg)
        bench.pipeline.stages.sources.encodedMemory.removeAll()
        #expect(try await bench.pipeline.data(for: request(bench)).data == data.data)
    }

    @Test func `an image is made again if its stored variant does not decode although its metadata does`()
        async throws
    {
        let bench = try bench()
        let request = request(bench)
        let made = try await bench.pipeline.image(for: request)
        let key = try await bench.pipeline.key(for: request).rawValue
        let blob = try #require(try await bench.store.blob(forKey: key))
        let options = BlobOptions(metadata: blob.metadata)
        try await bench.store.store(Data(blob.data.prefix(20)), forKey: key, options: options)
        bench.pipeline.removeAllFromMemory()
        #expect(try await bench.pipeline.image(for: request).size == made.size)
    }

    /// A pipeline without codecs over the store of another.
    private func successor(of bench: PipelineBench) -> ImagePipeline {
        let cache = ImageCache(stores: [bench.store], codecs: CodecRegistry())
        var configuration = ImagePipeline.Configuration(cache: cache, loader: bench.loader)
        configuration.timeSource = bench.time
        return ImagePipeline(configuration)
    }

    @Test func `a stored variant is returned without a codec and under the request's limits`() async throws {
        let bench = try bench()
        let made = try await bench.pipeline.data(for: request(bench))
        let kept = try await successor(of: bench).data(for: request(bench))
        #expect(kept.source == .disk && kept.data == made.data && kept.info == made.info)
        var small = request(bench)
        small.decoding.limits.maxPixelCount = 60 * 45 - 1
        let error = await #expect(throws: LoadError.self) {
            try await successor(of: bench).data(for: small)
        }
        #expect(error?.stage == .decode)
    }

    @Test func `a fresh stored variant is returned without its original`() async throws {
        let data = try PNGEncoder().encode(Self.photograph)
        let bench = PipelineBench { request, _ in
            .network(request.url, data, ["Cache-Control": "max-age=60"])
        }
        var request = request(bench)
        request.httpCaching = .respectsHTTP
        let made = try await bench.pipeline.data(for: request)
        #expect(try await bench.store.removeBlob(forKey: PipelineBench.url.absoluteString))
        bench.time.advance(by: .seconds(59))
        let kept = try await successor(of: bench).data(for: request)
        #expect(kept.source == .disk && kept.data == made.data)
        #expect(bench.loader.requests.count == 1)
        bench.time.advance(by: .seconds(2))
        #expect(try await successor(of: bench).data(for: request).data == made.data)
        #expect(bench.loader.requests.count == 2)
    }

    @Test func `a variant of an original that was confirmed since is returned without its bytes`()
        async throws
    {
        let data = try PNGEncoder().encode(Self.photograph)
        let fields = ["Cache-Control": "max-age=60", "ETag": "\"1\""]
        let bench = PipelineBench { request, attempt in
            .network(request.url, attempt == 0 ? data : Data(), status: attempt == 0 ? 200 : 304, fields)
        }
        var request = request(bench)
        request.httpCaching = .respectsHTTP
        let made = try await bench.pipeline.data(for: request)
        await bench.pipeline.untilIdle()
        bench.time.advance(by: .seconds(61))
        var original = ImageRequest(url: request.url)
        original.httpCaching = .respectsHTTP
        _ = try await bench.pipeline.data(for: original)
        await bench.pipeline.untilIdle()
        let counted = CountedByteStore(base: bench.store)
        var configuration = ImagePipeline.Configuration(
            cache: ImageCache(stores: [counted], codecs: CodecRegistry()),
            loader: bench.loader
        )
        configuration.timeSource = bench.time
        let kept = try await ImagePipeline(configuration).data(for: request)
        #expect(kept.source == .disk && kept.data == made.data)
        #expect(bench.loader.requests.count == 2)
        #expect(counted.held.value.most == 1, "the original was read")
    }

    @Test func `a failing encoder throws an error of the encode stage`() async throws {
        let bench = try bench()
        let encoder = JPEGEncoder(options: EncodeOptions(maxByteCount: 10))
        let request = bench.request { $0.encoding = ImageEncoding(encoder) }
        let error = try await #require(throws: LoadError.self) { try await bench.pipeline.data(for: request) }
        #expect((error.stage, error.codeLabel) == (.encode, "limitExceeded"))
    }

    @Test func `entity tags are equal for equal bytes and differ for others`() async throws {
        let bench = try bench()
        let first = try await bench.pipeline.data(for: request(bench))
        let other = try await bench.pipeline.data(for: bench.request())
        #expect(first.entityTag.hasPrefix("\"") && first.entityTag.hasSuffix("\""))
        #expect(first.entityTag != other.entityTag)
        #expect(try await bench.pipeline.data(for: request(bench)).entityTag == first.entityTag)
    }

    /// A serializer that reverses bytes.
    private struct Reversing: CacheSerializer {
        func serialize(_ data: Data, for request: ImageRequest) throws -> Data { Data(data.reversed()) }
        func deserialize(_ data: Data, for request: ImageRequest) throws -> Data { Data(data.reversed()) }
    }

    @Test func `a serializer changes stored bytes and restores them when they are read`() async throws {
        let bench = try bench { $0.serializer = Reversing() }
        let original = try await bench.pipeline.data(for: bench.request())
        let stored = try await bench.store.blob(forKey: PipelineBench.url.absoluteString)
        #expect(stored?.data == Data(original.data.reversed()))
        bench.pipeline.stages.sources.encodedMemory.removeAll()
        let again = try await bench.pipeline.data(for: bench.request())
        #expect((again.source, again.data) == (.disk, original.data))
    }

    private struct Refusing: CacheSerializer {
        struct Refusal: Error {}
        func serialize(_ data: Data, for request: ImageRequest) throws -> Data { throw Refusal() }
    }

    @Test func `a failing serializer loses the entry but not the image`() async throws {
        let bench = try bench { $0.serializer = Refusing() }
        let loaded = try await bench.pipeline.load(bench.request())
        #expect(loaded.storeFailure?.stage == .store)
        #expect(bench.store.keys == [])
    }

    @Test func `calls that wait for the store share a download with calls that do not`() async throws {
        let bench = try bench()
        let quick = bench.request { $0.waitsForStore = false }
        async let first = bench.pipeline.data(for: quick)
        async let second = bench.pipeline.data(for: bench.request())
        async let third = bench.pipeline.load(bench.request(width: 60))
        _ = try await (first, second, third)
        #expect(bench.store.keys.count == 1)
        #expect(bench.loader.requests.count == 1)
    }
}
