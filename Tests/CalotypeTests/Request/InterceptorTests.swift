import CalotypeTesting
import FoundationEssentials
import PipelineSupport
import TestSupport
import Testing

@testable import Calotype

@Suite(.gated) struct InterceptorTests {
    /// An interceptor that reduces the target size and records its name.
    private struct Small: RequestInterceptor {
        let names = SharedState<[String]>([])
        var name = "small"

        func load(_ request: ImageRequest, next: InterceptedLoad) async throws -> LoadedImage {
            names.withLock { $0.append(name) }
            var small = request
            small.decoding.target = .fit(width: 4)
            return try await next.load(small)
        }

        func data(for request: ImageRequest, next: InterceptedLoad) async throws -> EncodedImage {
            names.withLock { $0.append("data") }
            return try await next.data(for: request)
        }
    }

    private struct Refusing: RequestInterceptor {
        struct Refusal: Error {}
        func load(_ request: ImageRequest, next: InterceptedLoad) async throws -> LoadedImage {
            throw Refusal()
        }
    }

    private func bench(_ interceptors: [any RequestInterceptor]) -> PipelineBench {
        PipelineBench {
            $0.interceptors = interceptors
        } answer: { request, _ in
            .network(request.url, FakeImageDecoder.data(width: 40, height: 30))
        }
    }

    @Test func `interceptors wrap each request in order, also if the image is resident`() async throws {
        let first = Small(name: "first")
        var second = first
        second.name = "second"
        let bench = bench([first, second])
        for source in [LoadedImage.Source.network, .memory] {
            let loaded = try await bench.pipeline.load(bench.request())
            #expect((loaded.image.width, loaded.source) == (4, source))
        }
        #expect(first.names.value == ["first", "second", "first", "second"])
        #expect(bench.pipeline.residentImage(for: bench.request()) == nil, "they may have to wait")
    }

    @Test func `interceptors wrap events and data calls`() async throws {
        let small = Small()
        let bench = bench([small])
        for try await event in bench.pipeline.events(for: bench.request()) {
            guard case .finished(let loaded) = event else { continue }
            #expect(loaded.image.width == 4)
        }
        _ = try await bench.pipeline.data(for: bench.request())
        #expect(small.names.value == ["small", "data"])
    }

    @Test func `an interceptor's error is the cause of the failure and nothing is loaded`() async throws {
        let bench = bench([Refusing()])
        let error = await #expect(throws: LoadError.self) {
            try await bench.pipeline.load(bench.request())
        }
        #expect(error?.underlying is Refusing.Refusal)
        #expect(bench.loader.requests.isEmpty)
    }
}
