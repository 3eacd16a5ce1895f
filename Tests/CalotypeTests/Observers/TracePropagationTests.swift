import Calotype
import CalotypeLoading
import CalotypeTesting
import FoundationEssentials
import InMemoryTracing
import Testing
import Tracing

@Suite struct TracePropagationTests {
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

    @Test func `an origin is told the trace of whoever loads, once`() async throws {
        let span = tracer.startAnySpan("load", context: .topLevel)
        let key = InMemoryTracer.traceIDKey
        let sent = try await ServiceContext.withValue(span.context) {
            try await sentFields([HeaderField(key.uppercased(), "another"), HeaderField("Accept", "*/*")])
        }
        let trace = try #require(span.context.inMemorySpanContext).traceID
        #expect(sent.filter { $0.name.lowercased() == key }.map(\.value) == [trace])
        #expect(sent.contains(HeaderField("Accept", "*/*")))
    }

    @Test func `what calls share belongs to the trace of the call that began it`() async throws {
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

    @Test func `without a trace nothing is added`() async throws {
        #expect(try await sentFields([HeaderField("Accept", "*/*")]) == [HeaderField("Accept", "*/*")])
    }

    @Test func `keys of caches are the same with it`() throws {
        let loader = MiddlewareLoader(stub, [TracePropagation(instrument: tracer)])
        let request = FetchRequest(url: try #require(URL(string: "https://a.org/p.jpg")))
        #expect(loader.cacheIdentity(for: request).isEmpty)
    }
}
