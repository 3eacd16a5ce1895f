import CalotypeTesting
import FoundationEssentials
import PipelineSupport
import TestSupport
import Testing

@testable import Calotype
@testable import CalotypeLoading

@Suite(.gated) struct ReplacedContentTests {
    private static let old = FakeImageDecoder.data(width: 40, height: 30)
    private static let new = FakeImageDecoder.data(width: 80, height: 60)
    private static let isUsedStale = [
        "ETag": "\"1\"", "Cache-Control": "max-age=60, stale-while-revalidate=6000",
    ]

    private static func over(_ store: any ByteStore) -> (inout ImagePipeline.Configuration) -> Void {
        {
            $0.cache = ImageCache(
                memory: ImageCache.Memory(pressureSource: nil),
                stores: [store],
                codecs: $0.cache.codecs,
                maxDecodeConcurrency: 2
            )
        }
    }

    @Test func `variants do not outlive an original that a no-cache request found gone`() async throws {
        let bench = PipelineBench { request, number in
            if number > 0 { throw FetchError(.unacceptableStatus, status: 410, detail: "gone") }
            return .network(request.url, Self.old, ["Cache-Control": "max-age=100000"])
        }
        let variant = bench.request { ($0.httpCaching, $0.encoding) = (.respectsHTTP, .png) }
        _ = try await bench.pipeline.data(for: variant)
        let asked = bench.request {
            $0.httpCaching = .respectsHTTP
            $0.headers = [HeaderField("Cache-Control", "no-cache")]
        }
        await #expect(throws: LoadError.self) { try await bench.pipeline.load(asked) }
        #expect(bench.store.keys.isEmpty)
        await #expect(throws: LoadError.self) { try await bench.pipeline.data(for: variant) }
    }

    @Test func `variants do not outlive a gone original that had left the store`() async throws {
        let bench = PipelineBench { request, number in
            if number > 0 { throw FetchError(.unacceptableStatus, status: 410, detail: "gone") }
            return .network(request.url, Self.old, ["Cache-Control": "max-age=100000"])
        }
        let variant = bench.request { ($0.httpCaching, $0.encoding) = (.respectsHTTP, .png) }
        _ = try await bench.pipeline.data(for: variant)
        #expect(try await bench.store.removeBlob(forKey: PipelineBench.url.absoluteString))
        let original = bench.request { $0.httpCaching = .respectsHTTP }
        await #expect(throws: LoadError.self) { try await bench.pipeline.data(for: original) }
        await #expect(throws: LoadError.self) { try await bench.pipeline.data(for: variant) }
    }

    @Test func `a gone original is remembered if its entry was removed`() async throws {
        let bench = PipelineBench { request, number in
            if number > 0 { throw FetchError(.unacceptableStatus, status: 410, detail: "gone") }
            return .network(request.url, Self.old)
        }
        _ = try await bench.pipeline.load(bench.request())
        for _ in 0..<3 {
            await #expect(throws: LoadError.self) {
                try await bench.pipeline.load(bench.request { $0.cachePolicy.alwaysRevalidates = true })
            }
        }
        #expect(bench.loader.requests.count == 2)
    }

    @Test func `a load that began before a refresh does not undo it`() async throws {
        let (reached, gate) = (AsyncGate(), AsyncGate())
        let bench = PipelineBench { request, number in
            guard number == 0 else { return .network(request.url, Self.new) }
            reached.open()
            await gate.wait()
            return .network(request.url, Self.old)
        }
        let before = Task { try await bench.pipeline.load(bench.request()) }
        await reached.wait()
        let refreshed = try await bench.pipeline.load(bench.request { $0.cachePolicy = .refresh })
        #expect(refreshed.image.size.width == 80)
        // A caller after the refresh does not join the earlier load.
        let unkept = bench.request { $0.cachePolicy.variant = .none }
        #expect(try await bench.pipeline.load(unkept).image.size.width == 80)
        gate.open()
        // The earlier caller may get its own content, or the newer image from memory.
        #expect([40, 80].contains(try await before.value.image.size.width))
        await bench.pipeline.untilIdle()
        #expect(try await bench.pipeline.load(bench.request()).image.size.width == 80)
        bench.pipeline.removeAllFromMemory()
        #expect(try await bench.pipeline.load(bench.request()).image.size.width == 80)
    }

    @Test func `an image made of older bytes during a refresh is not kept in memory`() async throws {
        let (reached, gate, store) = (AsyncGate(), AsyncGate(), FakeByteStore())
        let bench = PipelineBench(Self.over(store)) { request, _ in
            reached.open()
            await gate.wait()
            return .network(request.url, FakeImageDecoder.data(width: 80, height: 20))
        }
        let key = PipelineBench.url.absoluteString
        try await store.store(Self.old, forKey: key, options: BlobOptions())
        let refresh = Task {
            try await bench.pipeline.load(bench.request { $0.cachePolicy = .refresh })
        }
        await reached.wait()
        let decoder = HeldImageDecoder()
        var codecs = CodecRegistry()
        codecs.register(decoder)
        let small = bench.request(width: 20) { [codecs] request in
            request.options.codecs = NamedValue("held-1", codecs)
            request.decoding.limits.maxDuration = .seconds(86_400)
        }
        let during = Task { try await bench.pipeline.load(small) }
        await decoder.reached.wait()
        gate.open()
        #expect(try await refresh.value.image.size.height == 20)
        decoder.release()
        #expect(try await during.value.image.size.height == 15)
        #expect(try await bench.pipeline.load(small).image.size.height == 5)
    }

    @Test func `an entry that is read during a refresh does not outlive it`() async throws {
        let (reached, gate) = (AsyncGate(), AsyncGate())
        let store = FakeByteStore()
        let rule = ["Cache-Control": "max-age=100000"]
        let first = PipelineBench(Self.over(store)) { request, _ in .network(request.url, Self.old, rule) }
        _ = try await first.pipeline.load(first.request { $0.httpCaching = .respectsHTTP })
        // As after a new start: nothing is in memory.
        let bench = PipelineBench(Self.over(store)) { request, _ in
            reached.open()
            await gate.wait()
            return .network(request.url, Self.new, rule)
        }
        let request = bench.request { $0.httpCaching = .respectsHTTP }
        let refresh = Task {
            var refresh = request
            refresh.cachePolicy = .refresh
            return try await bench.pipeline.load(refresh)
        }
        await reached.wait()
        #expect(try await bench.pipeline.load(request).image.size.width == 40)
        gate.open()
        #expect(try await refresh.value.image.size.width == 80)
        #expect(try await bench.pipeline.load(request).image.size.width == 80)
    }

    @Test func `a confirmation of replaced content does not renew its replacement`() async throws {
        let store = HeldByteStore()
        let rule = "max-age=60"
        let first = PipelineBench(Self.over(store.base)) { request, _ in
            .network(request.url, Self.old, ["ETag": "\"1\"", "Cache-Control": rule])
        }
        _ = try await first.pipeline.load(first.request { $0.httpCaching = .respectsHTTP })
        let (reached, gate) = (AsyncGate(), AsyncGate())
        let bench = PipelineBench(Self.over(store)) { request, _ in
            let isConditional = request.headers.contains { $0.name == "If-None-Match" }
            guard isConditional else {
                return .network(request.url, Self.new, ["ETag": "\"2\"", "Cache-Control": rule])
            }
            reached.open()
            await gate.wait()
            return .network(request.url, status: 304, ["ETag": "\"1\"", "Cache-Control": rule])
        }
        bench.time.advance(by: .seconds(90))
        let request = bench.request { ($0.httpCaching, $0.waitsForStore) = (.respectsHTTP, false) }
        // Reads the old entry, which its origin confirms.
        let confirmed = Task { [request] in
            var unkept = request
            unkept.cachePolicy.variant = .none
            return try await bench.pipeline.load(unkept)
        }
        await reached.wait()
        var refresh = request
        refresh.cachePolicy = .refresh
        #expect(try await bench.pipeline.load(refresh).image.size.width == 80)
        await store.reached.wait()
        gate.open()
        #expect(try await confirmed.value.image.size.width == 80, "newer content is known")
        store.gate.open()
        await bench.pipeline.untilIdle()
        let blob = try #require(try await store.base.blob(forKey: PipelineBench.url.absoluteString))
        #expect(blob.data == Self.new)
        #expect(ResponseRecord(encoded: blob.metadata)?.entityTag == "\"2\"")
    }

    @Test func `a stale image is not delivered while its replacement is being written`() async throws {
        let store = HeldByteStore()
        let first = PipelineBench(Self.over(store.base)) { request, _ in
            .network(request.url, Self.old, Self.isUsedStale)
        }
        _ = try await first.pipeline.load(first.request { $0.httpCaching = .respectsHTTP })
        let bench = PipelineBench(Self.over(store)) { request, _ in
            .network(request.url, Self.new, Self.isUsedStale)
        }
        bench.time.advance(by: .seconds(90))
        let request = bench.request { ($0.httpCaching, $0.waitsForStore) = (.respectsHTTP, false) }
        let stale = try await bench.pipeline.load(request)
        #expect((stale.image.size.width, stale.isStale) == (40, true))
        // The new content has come, is decoded and noted, and is being written.
        await store.reached.wait()
        for _ in 0..<3 { #expect(try await bench.pipeline.load(request).image.size.width == 80) }
        #expect(bench.loader.requests.count == 1, "each caller downloads it again")
        store.gate.open()
        await bench.pipeline.untilIdle()
    }
}
