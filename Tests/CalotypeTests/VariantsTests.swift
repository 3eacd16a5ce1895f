import CalotypeTesting
import Foundation
import PipelineSupport
import TestSupport
import Testing

@testable import Calotype

@Suite(.blocking) struct VariantsTests {
    private static let picture = TestImages.photograph(PixelSize(width: 640, height: 480))
    private static let sizes = [40, 80, 160]
    private let decoder = FakeImageDecoder()

    private static func fit(_ width: Int) -> TransformChain {
        .resize(toFit: PixelSize(width: width, height: width))
    }

    private func pipeline(_ codecs: CodecRegistry = .standard) -> ImagePipeline {
        ImagePipeline(.init(cache: ImageCache(codecs: codecs), loader: DataURLLoader()))
    }

    private var counting: ImagePipeline {
        var codecs = CodecRegistry.standard
        codecs.register(decoder)
        return pipeline(codecs)
    }

    @Test func `three sizes take one decode and are returned in order`() async throws {
        let data = FakeImageDecoder.data(width: 400, height: 300)
        let variants = Self.sizes.map { ImageVariant(Self.fit($0), as: .png) }
        let results = try await counting.variants(of: data, variants)
        let widths = try results.map { try CodecRegistry.standard.decode($0).width }
        #expect(widths == Self.sizes && decoder.decodeCount == 1)
    }

    @Test func `variants of a request take one load and one decode after its own transforms`() async throws {
        let url = try #require(URL(string: "https://example.org/a.fake"))
        let loader = StubDataLoader([url: .data(FakeImageDecoder.data(width: 400, height: 300))])
        var codecs = CodecRegistry.standard
        codecs.register(decoder)
        let pipeline = ImagePipeline(.init(cache: ImageCache(codecs: codecs), loader: loader))
        var request = ImageRequest(
            url: url,
            transforms: .crop(to: PixelRect(x: 0, y: 0, width: 200, height: 200))
        )
        request.encoding = .png
        let results = try await pipeline.variants(for: request, [ImageVariant(Self.fit(50)), ImageVariant()])
        let sizes = try results.map { try CodecRegistry.standard.decode($0).size }
        #expect(sizes == [PixelSize(width: 50, height: 50), PixelSize(width: 200, height: 200)])
        #expect(decoder.decodeCount == 1 && loader.requests.count == 1)
    }

    @Test(arguments: [[40], [40, 80, 160], [100, 150], [300, 500], [640]])
    func `variants of a shared decode are about as accurate as separate decodes`(widths: [Int]) async throws {
        let pipeline = pipeline()
        let data = try JPEGEncoder(quality: 95).encode(Self.picture)
        let variants = widths.map { ImageVariant(Self.fit($0), as: .png) }
        let results = try await pipeline.variants(of: data, variants)
        let whole = try CodecRegistry.standard.decode(data)
        for (width, result) in zip(widths, results) {
            let ideal = try Self.fit(width).apply(to: whole)
            let alone = try await pipeline.image(from: data, transforms: Self.fit(width))
            let (shared, own) = try (
                Self.error(CodecRegistry.standard.decode(result), ideal), Self.error(alone, ideal)
            )
            #expect(shared <= own + 0.35, "\(width) of \(widths): \(shared), alone \(own)")
        }
    }

    private static func error(_ image: Image, _ ideal: Image) throws -> Double {
        try #require(image.size == ideal.size)
        let (left, right) = (image.rgba8(), ideal.rgba8())
        return zip(left, right).reduce(0) { $0 + Double(abs(Int($1.0) - Int($1.1))) } / Double(left.count)
    }

    @Test func `a single variant equals a separate decode and encode`() async throws {
        let pipeline = pipeline()
        let data = try JPEGEncoder().encode(Self.picture)
        let chain: TransformChain = [.resize(toFill: PixelSize(width: 90, height: 90)), .grayscale]
        let result = try await pipeline.variants(of: data, [ImageVariant(chain, as: .webP())])
        let image = try await pipeline.image(from: data, transforms: chain)
        #expect(try await pipeline.encode(image, as: .webP()) == result[0])
    }

    @Test func `a variant stays animated if its encoding supports animations`() async throws {
        let data = FakeImageDecoder.data(width: 60, height: 40, frameCount: 3)
        let results = try await counting.variants(
            of: data,
            [
                ImageVariant(Self.fit(30), as: .gif), ImageVariant(Self.fit(15), as: .png),
                ImageVariant(as: .jpeg()),
            ]
        )
        let images = try results.map { try CodecRegistry.standard.decode($0) }
        #expect(images[0].animation?.frameCount == 3 && images[2].animation == nil)
        #expect(images.map(\.width) == [30, 15, 60])
        #expect(decoder.decodeCount == 1)
    }

    @Test func `a variant has the original's format by default`() async throws {
        let data = try WebPEncoder().encode(Self.picture)
        let results = try await pipeline().variants(of: data, [ImageVariant(Self.fit(64)), ImageVariant()])
        #expect(results.allSatisfy { ImageFormat(sniffing: $0) == .webP })
    }

    @Test func `invalid variants throw before anything is loaded`() async throws {
        let url = try #require(URL(string: "https://example.org/a.fake"))
        let loader = StubDataLoader([url: .data(FakeImageDecoder.data(width: 4, height: 3))])
        let pipeline = ImagePipeline(.init(cache: ImageCache(), loader: loader))
        let request = ImageRequest(url: url)
        let many = [ImageVariant](repeating: ImageVariant(), count: ImageVariant.maxCount + 1)
        for variants in [many, [ImageVariant(.blur(sigma: -1))]] {
            let error = await #expect(throws: LoadError.self) {
                try await pipeline.variants(for: request, variants)
            }
            #expect(error?.stage == .transform)
        }
        #expect(try await pipeline.variants(for: request, []).isEmpty)
        #expect(loader.requests.isEmpty)
    }

    @Test func `limits, damage, bad transforms and too many variants throw errors of their stage`()
        async throws
    {
        let pipeline = pipeline()
        let data = try JPEGEncoder().encode(Self.picture)
        func failure(
            _ data: Data,
            _ variants: [ImageVariant],
            _ limits: DecodeLimits = DecodeLimits()
        ) async -> LoadError? {
            await #expect(throws: LoadError.self) {
                try await pipeline.variants(of: data, variants, decoding: DecodeOptions(limits: limits))
            }
        }
        let one = [ImageVariant(Self.fit(9), as: .png)]
        let small = await failure(data, one, DecodeLimits(maxPixelCount: 100))
        #expect((small?.stage, small?.code) == (.decode, .limitExceeded))
        #expect(await failure(Data("no image".utf8), one)?.code == .unrecognizedFormat)
        #expect(
            await failure(data, [ImageVariant(.blur(sigma: -1))])?.stage == .transform
        )
        #expect(await failure(data, [ImageVariant(as: .jpeg(quality: 900))])?.stage == .encode)
        let many = [ImageVariant](repeating: one[0], count: ImageVariant.maxCount + 1)
        #expect(await failure(data, many)?.stage == .transform)
        #expect(try await pipeline.variants(of: data, []).isEmpty)
    }

    @Test func `a cancelled call throws CancellationError`() async throws {
        let pipeline = pipeline()
        let data = try JPEGEncoder().encode(Self.picture)
        let task = Task {
            while !Task.isCancelled { await Task.yield() }
            return try await pipeline.variants(of: data, [ImageVariant(Self.fit(60), as: .avif())])
        }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test func `a decoded image is transformed and an invalid transform throws`() async throws {
        let chain: TransformChain = [Self.fit(64), .grayscale]
        let result = try await pipeline().image(Self.picture, applying: chain)
        #expect(try result.rgba8() == chain.apply(to: Self.picture).rgba8())
        #expect(try await pipeline().image(Self.picture, applying: []) === Self.picture)
        let error = await #expect(throws: LoadError.self) {
            try await pipeline().image(Self.picture, applying: .blur(sigma: -1))
        }
        #expect(error?.stage == .transform)
    }

    @Test func `stripping metadata is deterministic and rejects bytes that are not an image`() async throws {
        let data = try JPEGEncoder().encode(Self.picture)
        #expect(
            try await pipeline().strippingMetadata(from: data) == pipeline().strippingMetadata(from: data)
        )
        let error = await #expect(throws: LoadError.self) {
            try await pipeline().strippingMetadata(from: Data("no image".utf8))
        }
        #expect((error?.stage, error?.code) == (.decode, .unrecognizedFormat))
    }
}
