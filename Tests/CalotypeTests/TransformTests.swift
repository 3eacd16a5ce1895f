import CalotypeTesting
import FoundationEssentials
import PipelineSupport
import TestMaterial
import TestSupport
import Testing

@testable import Calotype

@Suite(.blocking) struct TransformTests {
    private static let photograph = TestImages.photograph(PixelSize(width: 120, height: 90))

    private func bench(_ configure: (inout ImagePipeline.Configuration) -> Void = { _ in }) throws
        -> PipelineBench
    {
        let data = try PNGEncoder().encode(Self.photograph)
        return PipelineBench(configure) { request, _ in .network(request.url, data) }
    }

    private func request(_ bench: PipelineBench, _ transforms: TransformChain) -> ImageRequest {
        bench.request { $0.transforms = transforms }
    }

    @Test func `an image is transformed once and the result is cached in memory`() async throws {
        let (bench, invert) = (try bench(), CountedInvert())
        let request = request(bench, [TransformChain(invert), .blur(sigma: 1)])
        let first = try await bench.pipeline.load(request)
        let expected = try request.transforms.apply(to: Self.photograph)
        #expect(first.image.rgba8() == expected.rgba8())
        let second = try await bench.pipeline.load(request)
        #expect(second.source == .memory)
        #expect(second.image === first.image)
        #expect(bench.pipeline.residentImage(for: request) === first.image)
        #expect(invert.count.value == 2, "once for the pipeline, once for the expectation")
    }

    @Test func `a hundred requests for one chain share one transformation`() async throws {
        let (bench, invert) = (try bench(), CountedInvert())
        let request = request(bench, TransformChain(invert))
        let images = try await withThrowingTaskGroup(of: Image.self) { group in
            for _ in 0..<100 { group.addTask { try await bench.pipeline.image(for: request) } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(images.allSatisfy { $0 === images[0] })
        #expect(invert.count.value == 1)
        #expect(bench.loader.requests.count == 1)
    }

    @Test func `different chains share one download but no result`() async throws {
        let bench = try bench()
        let chains: [TransformChain] = [
            [], .blur(sigma: 1), .blur(sigma: 2), [.blur(sigma: 1), .blur(sigma: 2)],
        ]
        let images = try await withThrowingTaskGroup(of: Image.self) { group in
            for chain in chains {
                let request = request(bench, chain)
                group.addTask { try await bench.pipeline.image(for: request) }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(Set(images.map { $0.rgba8() }).count == chains.count)
        #expect(bench.loader.requests.count == 1)
    }

    // SDWebImage: the key of a filter transformer leaves the parameters of the filter out.
    @Test func `transforms and their order are part of the key and cannot pass for an encoding`()
        async throws
    {
        let bench = try bench()
        var named = CountedInvert()
        named.name = "b),png(compression=9"
        let chains: [TransformChain] = [
            [], .blur(sigma: 1), .blur(sigma: 1.0000000000000002), [.blur(sigma: 1), .blur(sigma: 2)],
            [.blur(sigma: 2), .blur(sigma: 1)], TransformChain(CountedInvert()), TransformChain(named),
        ]
        var keys: Set<ImageKey> = []
        for chain in chains {
            for encoding in [nil, ImageEncoding(PNGEncoder())] {
                var request = request(bench, chain)
                request.encoding = encoding
                keys.insert(try await bench.pipeline.key(for: request))
            }
        }
        #expect(keys.count == chains.count * 2)
    }

    @Test func `an invalid transform throws before anything is loaded`() async throws {
        let bench = try bench()
        let request = request(bench, .blur(sigma: -1))
        let error = await #expect(throws: LoadError.self) { try await bench.pipeline.image(for: request) }
        #expect(error?.stage == .transform)
        #expect(error?.codeLabel == "invalidParameter")
        #expect(bench.loader.requests.isEmpty)
    }

    @Test func `a failing transform leaves the stored original for other requests`() async throws {
        struct Failing: ImageTransform {
            struct Failure: Error {}
            var cacheIdentity: String { "failing-1()" }
            func apply(to image: Image) throws -> Image { throw Failure() }
        }
        let bench = try bench()
        let failing = request(bench, TransformChain(Failing()))
        let error = await #expect(throws: LoadError.self) { try await bench.pipeline.image(for: failing) }
        #expect(error?.stage == .transform)
        #expect(error?.underlying is Failing.Failure)
        let other = try await bench.pipeline.load(request(bench, .blur(sigma: 1)))
        #expect(other.source == .disk)
        #expect(bench.loader.requests.count == 1)
    }

    @Test func `an image is decoded at a reduced size if its first transforms shrink it`() async throws {
        let picture = TestImages.photograph(PixelSize(width: 1600, height: 1200))
        let data = try JPEGEncoder(quality: 95).encode(picture)
        let chains: [TransformChain] = [
            .resize(toFit: PixelSize(width: 100, height: 100)),
            [
                .crop(to: PixelRect(x: 0, y: 0, width: 800, height: 600)), .resize(toWidth: 100),
                .flip(.horizontal),
            ],
        ]
        for chain in chains {
            let sizes = SharedState<[PixelSize]>([])
            let codecs = RecordingDecoder(sizes: sizes)
            let bench = PipelineBench { configuration in
                var registry = CodecRegistry.standard
                registry.register(codecs)
                configuration.cache = ImageCache(stores: [], codecs: registry)
            } answer: { request, _ in
                .network(request.url, data)
            }
            let image = try await bench.pipeline.image(for: request(bench, chain))
            let whole = try chain.apply(to: CodecRegistry.standard.decode(data))
            #expect(image.size == whole.size)
            #expect(sizes.value.count == 1)
            #expect(sizes.value.allSatisfy { $0.width <= 450 }, "\(sizes.value)")
            let differences = zip(image.rgba8(), whole.rgba8()).map { abs(Int($0) - Int($1)) }
            #expect(differences.reduce(0, +) < 2 * differences.count)
        }
    }

    @Test func `a crop outside the image throws and the original stays stored`() async throws {
        let bench = try bench()
        let outside = request(
            bench,
            [.crop(to: PixelRect(x: 500, y: 0, width: 9, height: 9)), .resize(toWidth: 5)]
        )
        let error = await #expect(throws: LoadError.self) { try await bench.pipeline.image(for: outside) }
        #expect(error?.codeLabel == "emptyResult")
        #expect(try await bench.pipeline.load(request(bench, .resize(toWidth: 5))).source == .disk)
    }

    @Test func `a variant on disk is not transformed again`() async throws {
        let (bench, invert) = (try bench(), CountedInvert())
        var request = request(bench, TransformChain(invert))
        request.encoding = ImageEncoding(PNGEncoder())
        let first = try await bench.pipeline.load(request)
        bench.pipeline.cache.removeAllFromMemory()
        bench.pipeline.stages.sources.encodedMemory.removeAll()
        let second = try await bench.pipeline.load(request)
        #expect(second.source == .disk)
        #expect(second.image.rgba8() == first.image.rgba8())
        let data = try await bench.pipeline.data(for: request)
        #expect(try CodecRegistry.standard.decode(data.data).rgba8() == first.image.rgba8())
        #expect(invert.count.value == 1)
    }

    @Test func `data without an encoding is transformed and has the original's format`() async throws {
        let (bench, invert) = (try bench(), CountedInvert())
        let data = try await bench.pipeline.data(for: request(bench, TransformChain(invert)))
        #expect(data.info.format == .png)
        #expect(data.data != (try PNGEncoder().encode(Self.photograph)))
        #expect(invert.count.value == 1)
    }

    @Test func `frames of an animation are transformed when they are requested`() async throws {
        let frames = (0..<4).map { TestImages.photograph(PixelSize(width: 40, height: 30), seed: $0 + 1) }
        let animated = StillFrames(frames, durations: [.milliseconds(100)]).image
        let data = try WebPEncoder(isLossless: true).encode(animated)
        let bench = PipelineBench { request, _ in .network(request.url, data) }
        let invert = CountedInvert()
        let image = try await bench.pipeline.image(for: request(bench, TransformChain(invert)))
        #expect(invert.count.value == 1, "the first frame")
        let animation = try #require(image.animation)
        #expect(animation.frameCount == 4)
        let third = try await animation.frame(at: 2)
        #expect(third.rgba8() == invert.apply(to: frames[2]).rgba8())
    }

    @Test func `previews are transformed too`() async throws {
        let picture = TestImages.photograph(PixelSize(width: 400, height: 300))
        let data = try JPEGEncoder(isProgressive: true).encode(picture)
        let body = PacedBody()
        let bench = PipelineBench { request, _ in
            FetchResponse(origin: .network, url: request.url, body: body.body)
        }
        let invert = CountedInvert()
        var events = bench.pipeline.events(for: request(bench, TransformChain(invert))).makeAsyncIterator()
        body.send(data.prefix(data.count * 3 / 4))
        var preview: Image?
        while preview == nil, let event = try await events.next() {
            if case .preview(let image) = event { preview = image }
        }
        #expect(preview != nil)
        #expect(invert.count.value >= 1)
        body.finish()
    }

    @Test func `observers are notified of the transform stage`() async throws {
        let observer = RecordingObserver()
        let bench = try bench { $0.observers = [observer] }
        _ = try await bench.pipeline.image(for: request(bench, .blur(sigma: 1)))
        #expect(observer.stages.contains(.transform))
    }
}

private final class RecordingObserver: PipelineObserver {
    private let seen = SharedState<[LoadError.Stage]>([])

    var stages: [LoadError.Stage] { seen.value }

    func didFinish(
        _ stage: LoadError.Stage,
        of request: ImageRequest,
        outcome: StageOutcome,
        elapsed: Duration
    ) {
        seen.withLock { $0.append(stage) }
    }
}

private struct RecordingDecoder: ForwardingDecoder {
    let sizes: SharedState<[PixelSize]>
    let base = JPEGDecoder()

    init(sizes: SharedState<[PixelSize]>) {
        self.sizes = sizes
    }

    func decode(_ data: Data, options: DecodeOptions) throws(DecodeError) -> Image {
        let image = try base.decode(data, options: options)
        sizes.withLock { $0.append(image.size) }
        return image
    }
}
