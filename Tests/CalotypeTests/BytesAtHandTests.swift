import Calotype
import CalotypeTesting
import FoundationEssentials
import PipelineSupport
import TestSupport
import Testing

@Suite(.blocking) struct BytesAtHandTests {
    private static let picture = TestImages.photograph(PixelSize(width: 120, height: 90))
    private let pipeline = ImagePipeline(.init(cache: ImageCache(), loader: DataURLLoader()))

    @Test func `bytes are decoded at the target size and transformed`() async throws {
        let data = try JPEGEncoder().encode(Self.picture)
        let image = try await pipeline.image(
            from: data,
            decoding: DecodeOptions(target: .fit(width: 60)),
            transforms: .flip(.horizontal)
        )
        #expect((image.width, image.height) == (60, 45))
    }

    @Test func `bytes of an unrecognized format throw a decode error`() async throws {
        let error = await #expect(throws: LoadError.self) { try await pipeline.image(from: Data("hi".utf8)) }
        #expect((error?.stage, error?.code) == (.decode, .unrecognizedFormat))
    }

    @Test func `decode limits apply to bytes at hand`() async throws {
        let data = try PNGEncoder().encode(Self.picture)
        let small = DecodeOptions(limits: DecodeLimits(maxPixelCount: 100))
        let error = await #expect(throws: LoadError.self) {
            try await pipeline.image(from: data, decoding: small)
        }
        #expect(error?.code == .limitExceeded)
    }

    @Test func `frames that an encode has read do not stay in the cache of the process`() async throws {
        let frames = FakeFrameSource(frameCount: 9, size: PixelSize(width: 40, height: 30), valueStep: 4)
        let animation = Animation(source: frames, firstFrame: frames.image(at: 0))
        let image = frames.image(at: 0).replacing(animation: animation)
        let data = try await pipeline.encode(image, as: ImageEncoding(GIFEncoder()))
        #expect(try CodecRegistry.standard.info(of: data).frameCount == 9)
        #expect((1..<9).allSatisfy { animation.residentFrame(at: $0) == nil })
        try await animation.preloadAllFrames()
        #expect(try await pipeline.encode(image, as: ImageEncoding(GIFEncoder())) == data)
    }

    @Test func `an image is encoded in the requested encoding or in its own format`() async throws {
        let webP = try await pipeline.encode(Self.picture, as: .webP(quality: 60))
        #expect(ImageFormat(sniffing: webP) == .webP)
        let decoded = try await pipeline.image(from: try PNGEncoder().encode(Self.picture))
        #expect(ImageFormat(sniffing: try await pipeline.encode(decoded)) == .png)
    }

    @Test(arguments: [-5, 101, Int.min, .max])
    func `a quality out of range throws an encode error`(quality: Int) async throws {
        for encoding in [
            ImageEncoding.jpeg(quality: quality), .webP(quality: quality), .avif(quality: quality),
            .jpegXL(quality: quality),
        ] {
            let error = await #expect(throws: LoadError.self) {
                try await pipeline.encode(Self.picture, as: encoding)
            }
            #expect((error?.stage, error?.code.label) == (.encode, "invalidParameter"))
        }
    }

    @Test(arguments: [ImageFormat.png, .jpeg, .webP])
    func `data of a resized image without an encoding has the original's format`(format: ImageFormat)
        async throws
    {
        let original = try CodecRegistry.standard.encode(Self.picture, as: format)
        let bench = PipelineBench({ $0.cache = ImageCache() }) { request, _ in
            .network(request.url, original)
        }
        var request = ImageRequest(url: PipelineBench.url)
        request.decoding.target = .fit(width: 60)
        let small = try await bench.pipeline.data(for: request)
        #expect((small.info.format, small.info.size) == (format, PixelSize(width: 60, height: 45)))
        #expect(try await bench.pipeline.data(for: request).source == .memory)
        #expect(try await bench.pipeline.data(for: PipelineBench.url).data == original)
    }

    @Test func `data of a JPEG that becomes transparent is encoded as PNG`() async throws {
        let original = try JPEGEncoder().encode(Self.picture)
        let bench = PipelineBench({ $0.cache = ImageCache() }) { request, _ in
            .network(request.url, original)
        }
        var request = ImageRequest(url: PipelineBench.url)
        request.transforms = .circle()
        #expect(try await bench.pipeline.data(for: request).info.format == .png)
    }
}
