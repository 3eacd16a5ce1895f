import CalotypeTesting
import FoundationEssentials
import PipelineSupport
import TestSupport
import Testing

@testable import Calotype

@Suite(.gated) struct PartialLoadTests {
    private static let picture = FakeImageDecoder.data(width: 40, height: 30) + Data(count: 60_000)
    private static let head = ["ETag": "\"a\"", "Content-Type": "image/fake", "Content-Length": "60011"]
    private static let lost = FetchError(.connectionLost, detail: "lost")

    private let partials = FakeByteStore(name: "partial")

    /// A pipeline whose loader breaks off its first bodies after some bytes and serves ranges.
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

    @Test func `a load of another pipeline resumes the partial body of an earlier one`() async throws {
        let first = bench()
        await #expect(throws: LoadError.self) { try await first.pipeline.load(first.request()) }
        #expect(partials.keys == [PipelineBench.url.absoluteString])
        let second = bench(breakCount: 0)
        let encoded = try await second.pipeline.data(for: second.request())
        #expect(encoded.data == Self.picture)
        #expect(second.sent("Range") == ["bytes=40000-"])
        #expect(second.sent("If-Range") == ["\"a\""])
        // It is whole now, and removed behind the response.
        while !partials.keys.isEmpty { await Task.yield() }
        #expect(try await second.store.blob(forKey: PipelineBench.url.absoluteString)?.data == Self.picture)
    }

    @Test func `a partial body is not held in memory while the rest is requested`() async throws {
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
        for _ in 0..<10_000 where store.held.value.count > 0 { await Task.yield() }
        #expect(store.held.value.count == 0)
        gate.open()
        #expect(try await load.value == Self.picture)
        #expect(second.sent("Range") == ["bytes=40000-"])
    }

    @Test func `a partial body is not read before its rest has come`() async throws {
        let first = bench()
        await #expect(throws: LoadError.self) { try await first.pipeline.load(first.request()) }
        let store = CountedByteStore(base: partials)
        let second = bench(breakCount: 0, tag: "\"b\"", store: store)
        #expect(try await second.pipeline.data(for: second.request()).data == Self.picture)
        #expect(second.sent("Range") == ["bytes=40000-"])
        #expect(store.held.value.most == 0)
    }

    @Test func `a partial body removed while the rest is requested is loaded again`() async throws {
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

    @Test func `a partial body with no-store is not stored`() async throws {
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

    @Test func `a partial body is loaded in full if the content has changed`() async throws {
        let first = bench()
        await #expect(throws: LoadError.self) { try await first.pipeline.load(first.request()) }
        let second = bench(breakCount: 0, tag: "\"b\"")
        #expect(try await second.pipeline.data(for: second.request()).data == Self.picture)
        #expect(second.loader.requests.count == 1)
        while !partials.keys.isEmpty { await Task.yield() }
    }

    @Test(arguments: ["W/\"a\"", ""]) func `a partial body without a strong validator is not stored`(
        tag: String
    ) async {
        let bench = bench(tag: tag)
        await #expect(throws: LoadError.self) { try await bench.pipeline.load(bench.request()) }
        #expect(partials.keys.isEmpty)
    }

    @Test func `a small partial body is not stored`() async {
        let bench = bench(breaksAfter: 1_000)
        await #expect(throws: LoadError.self) { try await bench.pipeline.load(bench.request()) }
        #expect(partials.keys.isEmpty)
    }

    @Test func `the partial body of a cancelled load is stored`() async throws {
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
        await bench.pipeline.loads.originals.untilIdle()
        #expect(try await partials.blob(forKey: PipelineBench.url.absoluteString)?.data.count == 30_000)
    }

    @Test func `invalid entries of the partial store are ignored`() async throws {
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

    @Test func `a failing partial store does not fail the load`() async throws {
        partials.fail(with: CocoaError(.fileReadUnknown))
        let bench = bench(breakCount: 0)
        #expect(try await bench.pipeline.data(for: bench.request()).data == Self.picture)
    }

    @Test func `removing a source removes its partial body`() async throws {
        let bench = bench()
        await #expect(throws: LoadError.self) { try await bench.pipeline.load(bench.request()) }
        try await bench.pipeline.remove(bench.request())
        #expect(partials.keys.isEmpty)
    }
}
