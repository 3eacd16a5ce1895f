import CalotypeTesting
import FoundationEssentials
import PipelineSupport
import Testing

@testable import Calotype

@Suite struct PartialLoadTests {
    private static let picture = FakeImageDecoder.data(width: 40, height: 30) + Data(count: 60_000)
    private static let head = ["ETag": "\"a\"", "Content-Type": "image/fake", "Content-Length": "60011"]
    private static let lost = FetchError(.connectionLost, detail: "lost")

    private let partials = FakeByteStore(name: "partial")

    /// Breaks off after so many bytes as long as a test likes, and gives the rest to who asks for it.
    private func bench(
        breaksAfter byteCount: Int = 40_000,
        breakCount: Int = 1,
        tag: String = "\"a\"",
        store: (any ByteStore)? = nil,
        before: @escaping @Sendable () async -> Void = {}
    ) -> PipelineBench {
        PipelineBench {
            $0.partialStore = store ?? partials
        } answer: { request, number in
            await before()
            let range = request.headers.first { $0.name == "Range" }?.value
            let start = range.flatMap { Int($0.dropFirst(6).dropLast()) } ?? 0
            var response = FetchResponse.network(request.url, Self.picture, Self.head)
            response.headers[response.headers.firstIndex { $0.name == "ETag" }!].value = tag
            if number < breakCount {
                response.body = FetchBody([Self.picture.prefix(byteCount)], then: Self.lost)
                return response
            }
            let isSame = request.headers.first { $0.name == "If-Range" }?.value == tag
            guard start > 0, isSame else { return response }
            let rest = Self.picture.dropFirst(start)
            response.status = 206
            response.headers.removeAll { $0.name == "Content-Length" }
            let total = Self.picture.count
            response.headers.append(HeaderField("Content-Range", "bytes \(start)-\(total - 1)/\(total)"))
            response.expectedByteCount = rest.count
            response.body = FetchBody(Data(rest))
            return response
        }
    }

    @Test func `a later load, of another pipeline, continues what an earlier one has brought`() async throws {
        let first = bench()
        await #expect(throws: LoadError.self) { try await first.pipeline.load(first.request()) }
        #expect(partials.keys == [PipelineBench.url.absoluteString])
        let second = bench(breakCount: 0)
        let encoded = try await second.pipeline.data(for: second.request())
        #expect(encoded.data == Self.picture)
        #expect(second.sent("Range") == ["bytes=40000-"])
        #expect(second.sent("If-Range") == ["\"a\""])
        #expect(partials.keys.isEmpty, "it is whole now")
        #expect(try await second.store.blob(forKey: PipelineBench.url.absoluteString)?.data == Self.picture)
    }

    @Test func `what was kept is not in memory while its origin is asked for the rest`() async throws {
        let first = bench()
        await #expect(throws: LoadError.self) { try await first.pipeline.load(first.request()) }
        let key = PipelineBench.url.absoluteString
        let kept = try #require(try await partials.blob(forKey: key))
        let store = CountedByteStore()
        try await store.store(kept.data, forKey: key, options: BlobOptions(metadata: kept.metadata))
        let (reached, gate) = (AsyncGate(), AsyncGate())
        let second = bench(breakCount: 0, store: store) {
            reached.open()
            await gate.wait()
        }
        let load = Task { try await second.pipeline.data(for: second.request()).data }
        await reached.wait()
        #expect(store.held.value.most > 0)
        for _ in 0..<10_000 where store.held.value.count > 0 { await Task.yield() }
        #expect(store.held.value.count == 0)
        gate.open()
        #expect(try await load.value == Self.picture)
        #expect(second.sent("Range") == ["bytes=40000-"])
    }

    @Test func `a beginning that changes while its rest is asked for is loaded anew`() async throws {
        let first = bench()
        await #expect(throws: LoadError.self) { try await first.pipeline.load(first.request()) }
        let (reached, gate) = (AsyncGate(), AsyncGate())
        let second = bench(breakCount: 0) {
            reached.open()
            await gate.wait()
        }
        let load = Task { try await second.pipeline.data(for: second.request()).data }
        await reached.wait()
        _ = try await partials.removeAll()
        gate.open()
        #expect(try await load.value == Self.picture)
        #expect(second.loader.requests.count == 2)
    }

    @Test func `nothing is kept of a body whose response forbids to store`() async throws {
        let bench = PipelineBench {
            $0.partialStore = partials
        } answer: { request, _ in
            var response = FetchResponse.network(request.url, Self.picture, Self.head)
            response.headers.append(HeaderField("Cache-Control", "no-store"))
            response.body = FetchBody([Self.picture.prefix(40_000)], then: Self.lost)
            return response
        }
        await #expect(throws: LoadError.self) { try await bench.pipeline.load(bench.request()) }
        #expect(partials.keys.isEmpty)
    }

    @Test func `where the content has changed it comes whole`() async throws {
        let first = bench()
        await #expect(throws: LoadError.self) { try await first.pipeline.load(first.request()) }
        let second = bench(breakCount: 0, tag: "\"b\"")
        #expect(try await second.pipeline.data(for: second.request()).data == Self.picture)
        #expect(second.loader.requests.count == 1)
        #expect(partials.keys.isEmpty)
    }

    @Test(arguments: ["W/\"a\"", ""]) func `without a strong validator nothing is kept`(tag: String) async {
        let bench = bench(tag: tag)
        await #expect(throws: LoadError.self) { try await bench.pipeline.load(bench.request()) }
        #expect(partials.keys.isEmpty)
    }

    @Test func `little is not kept`() async {
        let bench = bench(breaksAfter: 1_000)
        await #expect(throws: LoadError.self) { try await bench.pipeline.load(bench.request()) }
        #expect(partials.keys.isEmpty)
    }

    @Test func `what a cancelled load has brought is kept as well`() async throws {
        let body = PacedBody()
        let bench = PipelineBench {
            $0.partialStore = partials
        } answer: { request, _ in
            var response = FetchResponse.network(request.url, Self.picture, Self.head)
            response.body = body.body
            return response
        }
        let task = bench.pipeline.task(for: bench.request())
        body.send(Self.picture.prefix(30_000))
        while task.progress?.byteCount != 30_000 { await Task.yield() }
        task.cancel()
        await bench.pipeline.originals.untilIdle()
        #expect(try await partials.blob(forKey: PipelineBench.url.absoluteString)?.data.count == 30_000)
    }

    @Test func `what a store has instead is not believed`() async throws {
        let entries: [(Data, Data)] = [
            (Data(count: 30_000), Data("{}".utf8)), (Data(), Data()), (Data(count: 99_999), Data([0])),
        ]
        let key = PipelineBench.url.absoluteString
        for (data, metadata) in entries {
            try await partials.store(data, forKey: key, options: BlobOptions(metadata: metadata))
            let bench = bench(breakCount: 0)
            #expect(try await bench.pipeline.data(for: bench.request()).data == Self.picture)
            #expect(bench.sent("Range") == [nil])
        }
    }

    @Test func `a store that fails is told of, and the load goes on without it`() async throws {
        partials.fail(with: CocoaError(.fileReadUnknown))
        let bench = bench(breakCount: 0)
        #expect(try await bench.pipeline.data(for: bench.request()).data == Self.picture)
    }

    @Test func `removing a source forgets its beginning too`() async throws {
        let bench = bench()
        await #expect(throws: LoadError.self) { try await bench.pipeline.load(bench.request()) }
        try await bench.pipeline.remove(bench.request())
        #expect(partials.keys.isEmpty)
    }
}
