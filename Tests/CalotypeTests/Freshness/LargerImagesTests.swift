import CalotypeTesting
import FoundationEssentials
import PipelineSupport
import TestSupport
import Testing

@testable import Calotype

@Suite(.gated) struct LargerImagesTests {
    private let bench = PipelineBench(answer: fakeImages(400, 300))

    private func small(_ width: Int) -> ImageRequest {
        bench.request(width: width) { $0.options.acceptsLargerImage = true }
    }

    @Test func `the smallest larger image in memory is returned and marked as larger`() async throws {
        _ = try await bench.pipeline.image(for: bench.request())
        _ = try await bench.pipeline.image(for: bench.request(width: 200))
        _ = try await bench.pipeline.image(for: bench.request(width: 50))
        let loaded = try await bench.pipeline.load(small(100))
        #expect((loaded.image.width, loaded.isLarger, loaded.source) == (200, true, .memory))
        #expect(bench.pipeline.residentImage(for: small(100)) == nil, "it is not kept as what was asked for")
        let exact = try await bench.pipeline.load(bench.request(width: 100))
        #expect((exact.image.width, exact.isLarger) == (100, false), "others get what they ask for")
        #expect(try await !bench.pipeline.load(small(100)).isLarger, "and so does it, once that is there")
    }

    @Test func `neither a smaller image nor one of another source is returned as larger`() async throws {
        _ = try await bench.pipeline.image(for: bench.request(width: 50))
        _ = try await bench.pipeline.image(for: "https://example.org/b.fake")
        let loaded = try await bench.pipeline.load(small(100))
        #expect((loaded.image.width, loaded.isLarger) == (100, false))
    }

    @Test func `an image removed from memory is not returned as larger`() async throws {
        _ = try await bench.pipeline.image(for: bench.request(width: 200))
        bench.pipeline.cache.removeAllFromMemory()
        #expect(try await bench.pipeline.load(small(100)).isLarger == false)
    }

    @Test func `the number of remembered sizes is limited`() {
        var sizes = LargerImages()
        for number in 0..<25_000 { sizes.note("size", of: ImageKey("\(number)")) }
        for number in 0..<100 { sizes.note(ImageKey("\(number)"), of: "picture") }
        #expect(sizes.keys(of: "picture").count == 8)
        #expect(sizes.keys(of: "24999") == ["size"])
    }
}
