import CalotypeTesting
import FoundationEssentials
import PipelineSupport
import TestTraits
import Testing

@testable import Calotype

/// Bodies that end before the image does, without anybody having said where they end.
@Suite(.blocking) struct CutBodyTests {
    private static let image = FoundationEssentials.Data(
        (try? PNGEncoder().encode(TestPictures.photograph(PixelSize(width: 64, height: 48)))) ?? Data()
    )

    private func bench(cutCount: Int, isLengthKnown: Bool, _ cut: Data) -> PipelineBench {
        PipelineBench { request, number in
            let data = number < cutCount ? cut : Self.image
            return FetchResponse(
                origin: .network,
                url: request.url,
                expectedByteCount: isLengthKnown ? data.count : nil,
                body: FetchBody(data)
            )
        }
    }

    @Test(arguments: [Data(), Self.image.prefix(Self.image.count / 2)])
    func `an image that was cut off is asked for once more`(cut: Data) async throws {
        let bench = bench(cutCount: 1, isLengthKnown: false, cut)
        #expect(try await bench.pipeline.image(for: bench.request()).size.width == 64)
        #expect(bench.loader.requests.count == 2)
    }

    @Test func `one that is cut off each time is not remembered as no image`() async throws {
        let bench = bench(cutCount: 2, isLengthKnown: false, Self.image.prefix(Self.image.count / 2))
        let error = await #expect(throws: LoadError.self) {
            try await bench.pipeline.image(for: bench.request())
        }
        #expect((error?.underlying as? DecodeError)?.code == .truncated)
        #expect(try await bench.pipeline.image(for: bench.request()).size.width == 64)
        #expect(bench.loader.requests.count == 3)
    }

    @Test func `an image that ends early though its body was whole is remembered`() async throws {
        let bench = bench(cutCount: 9, isLengthKnown: true, Self.image.prefix(Self.image.count / 2))
        for _ in 0..<3 {
            await #expect(throws: LoadError.self) { try await bench.pipeline.image(for: bench.request()) }
        }
        #expect(bench.loader.requests.count == 1)
    }
}
