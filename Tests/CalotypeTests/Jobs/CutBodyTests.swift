import CalotypeTesting
import FoundationEssentials
import PipelineSupport
import TestSupport
import Testing

@testable import Calotype

/// Bodies that end before the image does, with and without a known length.
@Suite(.blocking) struct CutBodyTests {
    private static let image = FoundationEssentials.Data(
        (try? PNGEncoder().encode(TestImages.photograph(PixelSize(width: 64, height: 48)))) ?? Data()
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
    func `a truncated body of unknown length is requested once more`(cut: Data) async throws {
        let bench = bench(cutCount: 1, isLengthKnown: false, cut)
        #expect(try await bench.pipeline.image(for: bench.request()).size.width == 64)
        #expect(bench.loader.requests.count == 2)
    }

    @Test func `a body that is truncated twice fails and the failure is not remembered`() async throws {
        let bench = bench(cutCount: 2, isLengthKnown: false, Self.image.prefix(Self.image.count / 2))
        let error = await #expect(throws: LoadError.self) {
            try await bench.pipeline.image(for: bench.request())
        }
        #expect((error?.underlying as? DecodeError)?.code == .truncated)
        #expect(try await bench.pipeline.image(for: bench.request()).size.width == 64)
        #expect(bench.loader.requests.count == 3)
    }

    @Test func `a body that announces more bytes than there is memory ends as a failed load`() async throws {
        let bench = PipelineBench { request, _ in
            var response = FetchResponse.network(request.url)
            response.expectedByteCount = .max
            let lost = FetchError(.connectionLost, detail: "lost")
            response.body = FetchBody([Data(count: 100), Data(count: 100)], then: lost)
            return response
        }
        let request = bench.request { $0.decoding.limits.maxByteCount = .max }
        let error = await #expect(throws: LoadError.self) { try await bench.pipeline.image(for: request) }
        #expect(error?.codeLabel == "connectionLost")
    }

    @Test func `a truncated image in a complete body is remembered as a failure`() async throws {
        let bench = bench(cutCount: 9, isLengthKnown: true, Self.image.prefix(Self.image.count / 2))
        for _ in 0..<3 {
            await #expect(throws: LoadError.self) { try await bench.pipeline.image(for: bench.request()) }
        }
        #expect(bench.loader.requests.count == 1)
    }

    @Test func `a truncated image is not remembered for callers that accept a part of it`() async throws {
        let bench = bench(cutCount: 9, isLengthKnown: true, Self.image.prefix(Self.image.count / 2))
        await #expect(throws: LoadError.self) { try await bench.pipeline.image(for: bench.request()) }
        let lenient = bench.request { $0.decoding.damage = .allowsPartialImage }
        #expect(try await bench.pipeline.image(for: lenient).metadata.isPartial)
        #expect(bench.loader.requests.count == 2)
    }

    @Test func `callers that accept a part of an image do not get the failure of others`() async throws {
        let (gate, cut) = (AsyncGate(), Data(Self.image.prefix(Self.image.count / 2)))
        let bench = PipelineBench { request, _ in
            await gate.wait()
            return .network(request.url, cut)
        }
        let originals = bench.pipeline.loads.originals
        let strict = Task { try await bench.pipeline.image(for: bench.request()) }
        while originals.waiterCount < 1 { await Task.yield() }
        let request = bench.request { $0.decoding.damage = .allowsPartialImage }
        let lenient = Task { try await bench.pipeline.image(for: request) }
        while originals.waiterCount < 2 { await Task.yield() }
        gate.open()
        await #expect(throws: LoadError.self) { try await strict.value }
        #expect(try await lenient.value.metadata.isPartial)
    }
}
