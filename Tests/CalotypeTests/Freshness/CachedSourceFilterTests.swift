import CalotypeTesting
import PipelineSupport
import TestSupport
import Testing

@testable import Calotype

@Suite(.gated) struct CachedSourceFilterTests {
    @Test func `the filter contains every inserted source and few others`() {
        var kept = CachedSourceFilter()
        for number in 0..<10_000 { _ = kept.insert("https://example.org/\(number)") }
        #expect((0..<10_000).allSatisfy { kept.mayContain("https://example.org/\($0)") })
        let suspected = (0..<10_000).count { kept.mayContain("https://example.net/\($0)") }
        #expect(suspected < 300, "about 1 % is expected")
        #expect(!CachedSourceFilter().mayContain("https://example.org/1"))
    }

    @Test func `a rebuilt filter contains resident sources and those inserted meanwhile`() {
        var kept = CachedSourceFilter()
        let all = (0..<CachedSourceFilter.maxInsertionCount).map { "https://example.org/\($0)?a=b#x" }
        let isCrowded = all.map { kept.insert($0) }
        #expect(isCrowded.last == true && !isCrowded.dropLast().contains(true))
        let begins = [kept.begin(), kept.begin()]
        #expect(begins == [true, false])
        for source in all[..<1_000] { kept.note(ImageKey(source: source, variant: "v")) }
        let isCrowdedAgain = kept.insert("https://example.net/new")
        #expect(!isCrowdedAgain)
        kept.end()
        #expect(
            all[..<1_000].allSatisfy { kept.mayContain($0) } && kept.mayContain("https://example.net/new")
        )
        #expect(all[1_000...].count { kept.mayContain($0) } < 1_000)
    }

    @Test func `images cached without HTTP caching are removed from memory by new content`() async throws {
        let bench = PipelineBench { request, number in
            .network(request.url, FakeImageDecoder.data(width: 40 + number, height: 30))
        }
        _ = try await bench.pipeline.image(for: bench.request(width: 20))
        _ = try await bench.pipeline.data(for: bench.request())
        let respecting = bench.request {
            $0.httpCaching = .respectsHTTP
            $0.cachePolicy = .refresh
        }
        #expect(try await bench.pipeline.image(for: respecting).size.width == 41)
        #expect(bench.pipeline.residentImage(for: bench.request(width: 20)) == nil)
        #expect(try await bench.pipeline.data(for: bench.request()).info.size.width == 41)
    }
}
