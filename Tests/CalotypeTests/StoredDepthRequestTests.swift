import CalotypeTesting
import FoundationEssentials
import PipelineSupport
import TestSupport
import Testing

@testable import Calotype

@Suite(.blocking) struct StoredDepthRequestTests {
    private static let size = PixelSize(width: 120, height: 90)

    private func bench() throws -> PipelineBench {
        let data = try PNGEncoder().encode(TestImages.photograph(Self.size, format: .rgba16))
        return PipelineBench { request, _ in .network(request.url, data) }
    }

    @Test func `requests with and without keepsDepth share the original but no pixels`() async throws {
        let bench = try bench()
        let deep = try await bench.pipeline.load(bench.request { $0.decoding.keepsDepth = true })
        let ordinary = try await bench.pipeline.load(bench.request())
        #expect(deep.image.pixelFormat == .rgba16 && ordinary.image.pixelFormat == .rgba8)
        #expect(bench.loader.requests.count == 1)
        let pixels = Self.size.pixelCount
        // The rest is the cost of the keys.
        let cost = bench.pipeline.cache.statistics.memory.cost
        #expect((0..<4_096).contains(cost - pixels * 12))
    }

    @Test func `a resized image keeps its depth, also if its variant comes from disk`() async throws {
        let bench = try bench()
        let request = bench.request(width: 60) {
            $0.decoding.keepsDepth = true
            $0.transforms = .flip(.horizontal)
            $0.cachePolicy.variantOnDisk = .readWrite
        }
        let first = try await bench.pipeline.image(for: request)
        #expect(first.pixelFormat == .rgba16 && first.width == 60)
        bench.pipeline.cache.removeAllFromMemory()
        let second = try await bench.pipeline.load(request)
        #expect(second.source == .disk && second.image.pixelFormat == .rgba16)
        #expect(second.image.rgba8() == first.rgba8())
    }

    @Test func `an image with 16 bits per channel can be encoded as WebP`() async throws {
        let bench = try bench()
        let request = bench.request(width: 60) {
            $0.decoding.keepsDepth = true
            $0.encoding = ImageEncoding(WebPEncoder(isLossless: true))
        }
        #expect(try await bench.pipeline.data(for: request).info.format == .webP)
    }
}
