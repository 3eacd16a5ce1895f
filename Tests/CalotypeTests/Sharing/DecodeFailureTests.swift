import CalotypeTesting
import FoundationEssentials
import PipelineSupport
import TestTraits
import Testing

@testable import Calotype
@testable import CalotypeLoading

/// Decodes that took too much memory, and the decodes that are tried after them.
@Suite(.timeLimit(.minutes(20))) struct DecodeFailureTests {
    private static func configuration(
        _ decoder: some ImageDecoder,
        stores: [any ByteStore] = [],
        _ loader: any DataLoader
    ) -> ImagePipeline.Configuration {
        var codecs = CodecRegistry.standard
        codecs.register(decoder)
        let cache = ImageCache(
            memory: ImageCache.Memory(costLimit: 0),
            stores: stores,
            codecs: codecs,
            decodeConcurrencyMax: 2
        )
        return ImagePipeline.Configuration(cache: cache, loader: loader).patient
    }

    private static func request(_ host: String, _ number: Int = 0, width: Int? = nil) throws -> ImageRequest {
        var request = ImageRequest(url: try #require(URL(string: "https://\(host)/\(number).fake")))
        if let width { request.decoding.target = .fit(width: width) }
        return request
    }

    private static func greedy(_ decoder: GreedyDecoder, _ gate: AsyncGate? = nil) -> ImagePipeline {
        let loader = ScriptedDataLoader { request, _ in
            await gate?.wait()
            return .network(request.url, FakeImageDecoder.data(width: 40, height: 30))
        }
        return ImagePipeline(configuration(decoder, stores: [FakeByteStore()], loader))
    }

    @Test func `an image with an encoding that takes too much memory leaves a smaller one`() async throws {
        let decoder = GreedyDecoder(widthMax: 10)
        let pipeline = Self.greedy(decoder)
        var request = try Self.request("large.test", width: 30)
        request.encoding = .png
        await #expect(throws: LoadError.self) { try await pipeline.image(for: request) }
        #expect(decoder.decodeCount.value == 1)
        request.decoding.target = .fit(width: 10)
        #expect(try await pipeline.image(for: request).size.width == 10)
    }

    @Test func `two encodings of one size count as one size`() async throws {
        let decoder = GreedyDecoder(widthMax: 10)
        let pipeline = Self.greedy(decoder)
        var request = try Self.request("large.test", width: 30)
        request.encoding = .png
        await #expect(throws: LoadError.self) { try await pipeline.data(for: request) }
        request.encoding = .jpeg()
        await #expect(throws: LoadError.self) { try await pipeline.data(for: request) }
        #expect(decoder.decodeCount.value == 1)
        request.decoding.target = .fit(width: 10)
        #expect(try await pipeline.data(for: request).info.size.width == 10)
    }

    @Test func `two encodings that share one decode count as one size`() async throws {
        let (decoder, gate) = (GreedyDecoder(widthMax: 10), AsyncGate())
        let pipeline = Self.greedy(decoder, gate)
        let tasks = try [ImageEncoding.png, .jpeg()].map { encoding in
            var request = try Self.request("large.test", width: 30)
            request.encoding = encoding
            return Task { [request] in try await pipeline.data(for: request) }
        }
        while pipeline.originals.waiterCount < 2 { await Task.yield() }
        gate.open()
        for task in tasks { await #expect(throws: LoadError.self) { try await task.value } }
        #expect(decoder.decodeCount.value == 1)
        var small = try Self.request("large.test", width: 10)
        small.encoding = .png
        #expect(try await pipeline.data(for: small).info.size.width == 10)
    }

    @Test func `a removal forgets decodes that failed`() async throws {
        let decoder = GreedyDecoder(widthMax: 10)
        let pipeline = Self.greedy(decoder)
        for width in [30, 20] {
            await #expect(throws: LoadError.self) {
                try await pipeline.image(for: try Self.request("large.test", width: width))
            }
        }
        try await pipeline.remove(Self.request("large.test"))
        #expect(try await pipeline.image(for: Self.request("large.test", width: 10)).size.width == 10)
    }
}

/// A decoder that fails for want of memory if the result is wider than a limit.
private struct GreedyDecoder: ImageDecoder {
    let widthMax: Int
    let decodeCount = SharedState(0)
    private let base = FakeImageDecoder()

    init(widthMax: Int) {
        self.widthMax = widthMax
    }

    var formats: [ImageFormat] { base.formats }

    func recognizes(_ data: Data) -> ImageFormat? { base.recognizes(data) }

    func info(of data: Data, limits: DecodeLimits) throws(DecodeError) -> ImageInfo {
        try base.info(of: data, limits: limits)
    }

    func decode(_ data: Data, options: DecodeOptions) throws(DecodeError) -> Image {
        decodeCount.withLock { $0 += 1 }
        let image = try base.decode(data, options: options)
        guard image.size.width <= widthMax else { throw DecodeError(.memoryExceeded, detail: "too wide") }
        return image
    }
}
