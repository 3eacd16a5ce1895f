import CalotypeTesting
import FoundationEssentials
import PipelineSupport
import TestSupport
import Testing

@testable import Calotype

@Suite(.gated) struct HTTPFreshnessTests {
    private static let old = FakeImageDecoder.data(width: 40, height: 30)
    private static let new = FakeImageDecoder.data(width: 80, height: 60)
    private static let tag = ["ETag": "\"1\"", "Cache-Control": "max-age=60"]

    private func load(_ bench: PipelineBench, width: Int? = nil) async throws -> LoadedImage {
        try await bench.pipeline.load(bench.request(width: width) { $0.httpCaching = .respectsHTTP })
    }

    @Test func `a fresh response is used from memory and disk without a request`() async throws {
        let bench = PipelineBench { request, _ in .network(request.url, Self.old, Self.tag) }
        #expect(try await load(bench).source == .network)
        bench.time.advance(by: .seconds(59))
        #expect(try await load(bench).source == .memory)
        #expect(try await load(bench, width: 20).source == .disk)
        #expect(bench.loader.requests.count == 1)
    }

    @Test func `a stale response confirmed by the origin is fresh again`() async throws {
        let bench = PipelineBench { request, number in
            number == 0
                ? .network(request.url, Self.old, Self.tag)
                : .network(request.url, status: 304, Self.tag)
        }
        _ = try await load(bench)
        bench.time.advance(by: .seconds(61))
        #expect(try await load(bench).source == .disk)
        #expect(bench.decoder.decodeCount == 1, "confirmed, so what memory has is used")
        #expect(bench.sent("If-None-Match") == [nil, "\"1\""])
        bench.time.advance(by: .seconds(59))
        #expect(try await load(bench).source == .memory)
        #expect(bench.loader.requests.count == 2)
        #expect(bench.store.operations.filter { $0.hasPrefix("store") }.count == 2, "once of them to renew")
    }

    // SDWebImage #1787, #1374, #484, SDWebImageSwiftUI #216: old images stay although the origin has others.
    @Test func `new content replaces the old content in every size`() async throws {
        let bench = PipelineBench { request, number in
            .network(request.url, number == 0 ? Self.old : Self.new, Self.tag)
        }
        #expect(try await load(bench).image.size.width == 40)
        #expect(try await load(bench, width: 20).image.size.height == 15)
        bench.time.advance(by: .seconds(61))
        let newer = try await load(bench)
        #expect((newer.image.size.width, newer.source) == (80, .network))
        let small = try await load(bench, width: 60)
        #expect((small.image.size.width, small.source) == (60, .disk))
        #expect(bench.loader.requests.count == 2)
        #expect(bench.pipeline.residentImage(for: bench.request(width: 20)) == nil)
    }

    @Test func `a no-store response is not cached`() async throws {
        let bench = PipelineBench { request, _ in
            .network(request.url, Self.old, ["Cache-Control": "no-store"])
        }
        #expect(try await load(bench).source == .network)
        #expect(bench.store.keys == [])
        #expect(bench.pipeline.cache.statistics.memory.count == 0)
        #expect(try await load(bench).source == .network)
        let data = try await bench.pipeline.data(for: bench.request { $0.httpCaching = .respectsHTTP })
        #expect(data.source == .network)
        #expect(bench.pipeline.stages.sources.encodedMemory.statistics.count == 0)
    }

    @Test func `stale-while-revalidate returns the stale image at once and the new one later`() async throws {
        let headers = ["ETag": "\"1\"", "Cache-Control": "max-age=60, stale-while-revalidate=60"]
        let bench = PipelineBench { request, number in
            .network(request.url, number == 0 ? Self.old : Self.new, headers)
        }
        _ = try await load(bench)
        bench.time.advance(by: .seconds(90))
        #expect(try await load(bench).image.size.width == 40)
        await bench.pipeline.loads.originals.untilIdle()
        #expect(try await load(bench).image.size.width == 80)
        #expect(bench.loader.requests.count == 2)
    }

    @Test func `a call that waits for the store does not wait for a background revalidation`() async throws {
        let (reached, gate) = (AsyncGate(), AsyncGate())
        let headers = ["ETag": "\"1\"", "Cache-Control": "max-age=60, stale-while-revalidate=60"]
        let bench = PipelineBench { request, number in
            if number == 1 {
                reached.open()
                await gate.wait()
            }
            return .network(request.url, Self.old, headers)
        }
        _ = try await load(bench)
        bench.time.advance(by: .seconds(90))
        #expect(try await load(bench).source == .disk)
        await reached.wait()
        gate.open()
        await bench.pipeline.loads.originals.untilIdle()
    }

    @Test func `a failing origin returns the stale image only if stale-if-error allows it`() async throws {
        for (directive, isUsed) in [("stale-if-error=60", true), ("must-revalidate", false)] {
            let bench = PipelineBench { request, number in
                guard number == 0 else {
                    throw FetchError(.unacceptableStatus, status: 503, isRetryable: true, detail: "503")
                }
                return .network(request.url, Self.old, ["Cache-Control": "max-age=60, \(directive)"])
            }
            _ = try await load(bench)
            bench.time.advance(by: .seconds(90))
            if isUsed {
                #expect(try await load(bench).image.size.width == 40)
            } else {
                await #expect(throws: LoadError.self) { try await load(bench) }
            }
        }
    }

    @Test func `a 304 with another entity tag leads to an unconditional request`() async throws {
        let bench = PipelineBench { request, number in
            number == 1
                ? .network(request.url, status: 304, ["ETag": "\"2\""])
                : .network(request.url, number == 0 ? Self.old : Self.new, Self.tag)
        }
        _ = try await load(bench)
        bench.time.advance(by: .seconds(61))
        #expect(try await load(bench).image.size.width == 80)
        #expect(bench.sent("If-None-Match") == [nil, "\"1\"", nil])
    }

    @Test func `a cache-only request does not return a stale image`() async throws {
        let bench = PipelineBench { request, _ in .network(request.url, Self.old, Self.tag) }
        _ = try await load(bench)
        bench.time.advance(by: .seconds(61))
        let request = bench.request {
            $0.httpCaching = .respectsHTTP
            $0.cachePolicy = .onlyFromCache
        }
        let error = try await #require(throws: LoadError.self) { try await bench.pipeline.load(request) }
        #expect(error.codeLabel == "notInCache")
    }

    @Test func `HTTP freshness is ignored by default`() async throws {
        let bench = PipelineBench { request, _ in
            .network(request.url, Self.old, ["Cache-Control": "no-store"])
        }
        _ = try await bench.pipeline.load(bench.request())
        bench.time.advance(by: .seconds(1_000_000))
        #expect(try await bench.pipeline.load(bench.request()).source == .memory)
        #expect(bench.store.keys.count == 1)
    }

    @Test func `an encoded variant is reused until its original changes`() async throws {
        let bench = PipelineBench { request, number in
            switch number {
            case 0: .network(request.url, Self.old, Self.tag)
            case 1: .network(request.url, status: 304, Self.tag)
            default: .network(request.url, Self.new, Self.tag)
            }
        }
        let request = bench.request {
            $0.httpCaching = .respectsHTTP
            $0.encoding = ImageEncoding(PNGEncoder())
        }
        #expect(try await bench.pipeline.data(for: request).source == .network)
        bench.time.advance(by: .seconds(61))
        #expect(try await bench.pipeline.data(for: request).source == .disk)
        #expect(bench.decoder.decodeCount == 1, "confirmed, so not made again")
        bench.time.advance(by: .seconds(61))
        #expect(try await bench.pipeline.data(for: request).info.size.width == 80)
        #expect(bench.loader.requests.count == 3)
    }
}
