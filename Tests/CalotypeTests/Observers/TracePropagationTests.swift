import Calotype
import CalotypeLoading
import CalotypeTesting
import FoundationEssentials
import InMemoryTracing
import TestSupport
import Testing
import Tracing

@Suite(.gated) struct TracePropagationTests {
    private let tracer = InMemoryTracer()
    private let stub = StubDataLoader([:])

    /// The fields that the loader behind the middleware gets.
    private func sentFields(_ fields: [HeaderField] = []) async throws -> [HeaderField] {
        let loader = MiddlewareLoader(stub, [TracePropagation(instrument: tracer)])
        var request = FetchRequest(url: try #require(URL(string: "https://a.org/p.jpg")))
        request.headers = fields
        await #expect(throws: FetchError.self) { _ = try await loader.response(for: request) }
        return try #require(stub.requests.last).headers
    }

    @Test func `a request carries the trace of its caller exactly once`() async throws {
        let span = tracer.startAnySpan("load", context: .topLevel)
        let key = InMemoryTracer.traceIDKey
        let sent = try await ServiceContext.withValue(span.context) {
            try await sentFields([HeaderField(key.uppercased(), "another"), HeaderField("Accept", "*/*")])
        }
        let trace = try #require(span.context.inMemorySpanContext).traceID
        #expect(sent.filter { $0.name.lowercased() == key }.map(\.value) == [trace])
        #expect(sent.contains(HeaderField("Accept", "*/*")))
    }

    @Test func `a shared load carries the trace of the call that started it`() async throws {
        let span = tracer.startAnySpan("load", context: .topLevel)
        let loader = MiddlewareLoader(stub, [TracePropagation(instrument: tracer)])
        let pipeline = ImagePipeline(.init(cache: ImageCache(stores: []), loader: loader))
        _ = await ServiceContext.withValue(span.context) {
            await #expect(throws: LoadError.self) { try await pipeline.image(for: "https://a.org/p.jpg") }
        }
        let trace = try #require(span.context.inMemorySpanContext).traceID
        let sent = try #require(stub.requests.last).headers
        #expect(sent.filter { $0.name.lowercased() == InMemoryTracer.traceIDKey }.map(\.value) == [trace])
    }

    @Test func `a request without a trace gets no additional header field`() async throws {
        #expect(try await sentFields([HeaderField("Accept", "*/*")]) == [HeaderField("Accept", "*/*")])
    }

    @Test func `trace propagation does not change cache keys`() throws {
        let loader = MiddlewareLoader(stub, [TracePropagation(instrument: tracer)])
        let request = FetchRequest(url: try #require(URL(string: "https://a.org/p.jpg")))
        #expect(loader.cacheIdentity(for: request).isEmpty)
    }
}
