import CalotypeTesting
import Foundation
import PipelineSupport
import TestMaterial
import TestSupport
import Testing

@testable import Calotype

/// Originals that replace larger results: `ImageEncoding.smallerOriginal`.
@Suite(.blocking) struct SmallerOriginalTests {
    private static let photograph = TestImages.photograph(PixelSize(width: 120, height: 90))

    /// A file with a comment, in which the secret may be a place.
    private static func jpeg(quality: Int) throws -> Data {
        let file = try JPEGEncoder(quality: quality).encode(photograph)
        let text = Data("secret".utf8)
        return file.prefix(2) + [0xFF, 0xFE, 0, UInt8(text.count + 2)] + text + file.dropFirst(2)
    }

    private static func stripped(_ file: Data) throws -> Data {
        try CodecRegistry.standard.strippingMetadata(
            from: file,
            keeping: RetainedMetadata(orientation: false)
        )
    }

    private static func bench(_ data: Data) -> PipelineBench {
        PipelineBench { request, _ in .network(request.url, data) }
    }

    private static func request(
        _ bench: PipelineBench,
        _ encoder: any ImageEncoder,
        _ change: (inout ImageRequest) -> Void = { _ in }
    ) -> ImageRequest {
        var encoding = ImageEncoding(encoder)
        encoding.smallerOriginal = RetainedMetadata(orientation: false)
        return bench.request {
            $0.encoding = encoding
            change(&$0)
        }
    }

    @Test func `a smaller original is returned without metadata and stored as the result`() async throws {
        let file = try Self.jpeg(quality: 30)
        let bench = Self.bench(file)
        let request = Self.request(bench, JPEGEncoder(quality: 95))
        let first = try await bench.pipeline.data(for: request)
        #expect(try first.data == Self.stripped(file))
        #expect(first.data.range(of: Data("secret".utf8)) == nil)
        #expect((first.info.format, first.info.size) == (.jpeg, Self.photograph.size))
        bench.pipeline.stages.sources.encodedMemory.removeAll()
        let second = try await bench.pipeline.data(for: request)
        #expect((second.source, second.data) == (.disk, first.data))
        #expect(bench.loader.requests.count == 1)
        #expect(bench.pipeline.stages.limits.fetching.heldByteCount == 0)
    }

    @Test func `a pipeline without a store loads the original once`() async throws {
        let file = try Self.jpeg(quality: 30)
        let bench = PipelineBench(store: false) { request, _ in .network(request.url, file) }
        let request = Self.request(bench, JPEGEncoder(quality: 95))
        #expect(try await bench.pipeline.data(for: request).data == Self.stripped(file))
        #expect(bench.loader.requests.count == 1)
    }

    @Test func `a smaller result is returned, and without the setting every result`() async throws {
        let large = Self.bench(try Self.jpeg(quality: 95))
        let expected = try JPEGEncoder(quality: 30).encode(
            CodecRegistry.standard.decode(Self.jpeg(quality: 95))
        )
        let request = Self.request(large, JPEGEncoder(quality: 30))
        #expect(try await large.pipeline.data(for: request).data == expected)
        let small = Self.bench(try Self.jpeg(quality: 30))
        let plain = small.request { $0.encoding = ImageEncoding(JPEGEncoder(quality: 95)) }
        let data = try await small.pipeline.data(for: plain).data
        #expect(try data.count > Self.stripped(Self.jpeg(quality: 30)).count)
    }

    private static let changes: [(name: String, change: @Sendable (inout ImageRequest) -> Void)] = [
        ("a transform", { $0.transforms = .blur(sigma: 1) }),
        ("a size", { $0.decoding.target = .fit(width: 60) }),
        ("a size by a transform", { $0.transforms = .resize(toFit: PixelSize(width: 60, height: 60)) }),
        ("the first frame", { $0.decoding.frames = .first }),
    ]

    @Test(arguments: changes.indices)
    func `an original with other pixels is not returned`(index: Int) async throws {
        let (name, change) = Self.changes[index]
        let file = try Self.jpeg(quality: 30)
        let bench = Self.bench(file)
        let data = try await bench.pipeline.data(for: Self.request(bench, JPEGEncoder(quality: 95), change))
        #expect(try data.data != Self.stripped(file), "\(name)")
        #expect(bench.pipeline.stages.limits.fetching.heldByteCount == 0)
    }

    /// Inks are converted for every result; few programs show them alike.
    @Test(.enabled(if: SharedCorpus.isPresent, "\(SharedCorpus.advice)"))
    func `an original of inks is encoded`() async throws {
        let name = "jpeg/jpeg-decoder-jpg-cmyk-1.jpg"
        let file = try #require(SharedCorpus.files.first { $0.path == name }).bytes()
        let bench = Self.bench(file)
        let data = try await bench.pipeline.data(for: Self.request(bench, JPEGEncoder(quality: 100)))
        #expect(try data.data == JPEGEncoder(quality: 100).encode(CodecRegistry.standard.decode(file)))
    }

    @Test func `a result in another format is encoded`() async throws {
        let bench = Self.bench(try Self.jpeg(quality: 30))
        let data = try await bench.pipeline.data(for: Self.request(bench, PNGEncoder()))
        #expect(data.info.format == .png)
    }

    @Test func `a format whose metadata cannot be removed is encoded`() async throws {
        let file = try AVIFEncoder(quality: 10, speed: 10).encode(Self.photograph)
        let bench = Self.bench(file)
        let data = try await bench.pipeline.data(
            for: Self.request(bench, AVIFEncoder(quality: 90, speed: 10))
        )
        #expect(data.info.format == .avif && data.data.count > file.count)
    }

    @Test func `the use of the original, and the metadata it keeps, are part of the key`() {
        let encodings = [nil, RetainedMetadata(), RetainedMetadata(copyright: true)].map { kept in
            var encoding = ImageEncoding(JPEGEncoder())
            encoding.smallerOriginal = kept
            return encoding
        }
        #expect(Set(encodings).count == 3)
        let keys = encodings.map { encoding in
            var request: ImageRequest = "https://example.org/a.jpg"
            request.encoding = encoding
            return request.variantIdentity
        }
        #expect(Set(keys).count == 3)
    }
}
