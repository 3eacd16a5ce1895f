import CalotypeTesting
import PipelineSupport
import TestSupport
import Testing

@testable import Calotype

@Suite(.gated) struct CachedSourceFilterTests {
    @Test func `the filter contains every inserted source and few others`() {
        var kept = CachedSourceFilter()
        for number in 0..<10_000 { _ = Self.insert("https://example.org/\(number)", into: &kept) }
        #expect((0..<10_000).allSatisfy { kept.mayContain("https://example.org/\($0)") })
        let suspected = (0..<10_000).count { kept.mayContain("https://example.net/\($0)") }
        #expect(suspected < 300, "about 1 % is expected")
        #expect(!CachedSourceFilter().mayContain("https://example.org/1"))
    }

    @Test func `a rebuilt filter contains resident sources and those inserted meanwhile`() {
        var kept = CachedSourceFilter()
        let all = (0..<CachedSourceFilter.maxInsertionCount).map { "https://example.org/\($0)?a=b#x" }
        let isCrowded = all.map { Self.insert($0, into: &kept) }
        #expect(isCrowded.last == true && !isCrowded.dropLast().contains(true))
        let begins = [kept.begin(), kept.begin()]
        #expect(begins == [true, false])
        for source in all[..<1_000] { kept.note(ImageKey(source: source, variant: "v")) }
        let isCrowdedAgain = Self.insert("https://example.net/new", into: &kept)
        #expect(!isCrowdedAgain)
        kept.end()
        #expect(
            all[..<1_000].allSatisfy { kept.mayContain($0) } && kept.mayContain("https://example.net/new")
        )
        #expect(all[1_000...].count { kept.mayContain($0) } < 1_000)
    }

    @Test func `a source is contained while values of it are being inserted, whatever is rebuilt`() {
        var kept = CachedSourceFilter()
        for _ in 0..<2 { _ = kept.beginInsertion("https://example.org/a") }
        #expect(kept.isInserting("https://example.org/a") && !kept.isInserting("https://example.org/b"))
        _ = kept.begin()
        kept.end()
        #expect(kept.mayContain("https://example.org/a"))
        kept.endInsertion("https://example.org/a")
        #expect(kept.isInserting("https://example.org/a"))
        kept.endInsertion("https://example.org/a")
        #expect(!kept.isInserting("https://example.org/a") && kept.mayContain("https://example.org/a"))
    }

    private static func insert(_ source: String, into kept: inout CachedSourceFilter) -> Bool {
        defer { kept.endInsertion(source) }
        return kept.beginInsertion(source)
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
