import CalotypeSupport
import CalotypeTesting
import FoundationEssentials
import PipelineSupport
import TestSupport
import Testing

@testable import Calotype
@testable import CalotypeLoading

/// Failures that are remembered, and those that are not.
@Suite(.gated) struct RememberedFailureTests {
    private static let picture = FakeImageDecoder.data(width: 40, height: 30)

    @Test func `a failure of a load that began before a removal is not remembered`() async throws {
        let (reached, gate) = (AsyncGate(), AsyncGate())
        let bench = PipelineBench { request, number in
            guard number == 0 else { return .network(request.url, Self.picture) }
            reached.open()
            await gate.wait()
            throw FetchError(.unacceptableStatus, status: 404, detail: "not there yet")
        }
        let before = Task { try await bench.pipeline.load(bench.request()) }
        await reached.wait()
        try await bench.pipeline.remove(bench.request())
        gate.open()
        await #expect(throws: LoadError.self) { try await before.value }
        #expect(try await bench.pipeline.load(bench.request()).image.size.width == 40)
    }

    @Test(arguments: [false, true])
    func `an image above the limits is not downloaded again at once`(isData: Bool) async throws {
        let bench = PipelineBench { request, _ in .network(request.url, Self.picture) }
        let small = bench.request { $0.decoding.limits.maxPixelCount = 10 }
        for _ in 0..<3 {
            let error = await #expect(throws: LoadError.self) {
                if isData {
                    _ = try await bench.pipeline.data(for: small)
                } else {
                    _ = try await bench.pipeline.load(small)
                }
            }
            #expect(error?.code == .limitExceeded)
        }
        #expect(bench.loader.requests.count == 1)
        #expect(try await bench.pipeline.load(bench.request()).image.size.width == 40)
    }

    @Test func `an image above the limits is downloaded once for all sizes`() async throws {
        let bench = PipelineBench { request, _ in .network(request.url, Self.picture) }
        for width in [nil, 30, 20] {
            let error = await #expect(throws: LoadError.self) {
                try await bench.pipeline.load(
                    bench.request(width: width) { $0.decoding.limits.maxPixelCount = 10 }
                )
            }
            #expect(error?.code == .limitExceeded)
        }
        #expect(bench.loader.requests.count == 1)
    }

    @Test func `an endless body is not downloaded again at once`() async throws {
        let bench = PipelineBench { request, _ in
            FetchResponse(
                origin: .network,
                url: request.url,
                body: FetchBody { FetchBody.Iterator { Data(count: 1 << 20) } }
            )
        }
        let request = bench.request { $0.decoding.limits.maxByteCount = 4 << 20 }
        for _ in 0..<3 {
            let error = await #expect(throws: LoadError.self) { try await bench.pipeline.load(request) }
            #expect(error?.code == .bodyTooLarge)
        }
        #expect(bench.loader.requests.count == 1)
        let other = bench.request { $0.decoding.limits.maxByteCount = 5 << 20 }
        await #expect(throws: LoadError.self) { try await bench.pipeline.load(other) }
        #expect(bench.loader.requests.count == 2)
    }

    @Test func `a failing redirect target is not a failure of the redirecting origin`() async throws {
        let target = try #require(URL(string: "https://target.test/a.fake"))
        let bench = PipelineBench { _, _ in
            var error = FetchError(.unacceptableStatus, status: 503, detail: "the target is down")
            error.answeringURL = target
            throw error
        }
        await #expect(throws: LoadError.self) { try await bench.pipeline.load(bench.request()) }
        let origin = PipelineBench.url.originText
        let isFailing = [origin, target.originText].map { origin in
            bench.pipeline.stages.failures.origins.withLock {
                $0.failure(of: origin, at: bench.instant.now) != nil
            }
        }
        #expect(isFailing == [false, true])
    }

    @Test func `bytes that the codecs of one request cannot decode are decoded by those of others`()
        async throws
    {
        let bench = PipelineBench { request, _ in .network(request.url, Self.picture) }
        let other = bench.request { $0.options.codecs = NamedValue("none-1", CodecRegistry()) }
        for _ in 0..<3 {
            await #expect(throws: LoadError.self) { try await bench.pipeline.load(other) }
        }
        #expect(bench.loader.requests.count == 1)
        #expect(try await bench.pipeline.load(bench.request()).image.size.width == 40)
    }
}
