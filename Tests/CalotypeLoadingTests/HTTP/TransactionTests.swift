import FoundationEssentials
import LoopbackOrigin
import TestSupport
import Testing

@testable import CalotypeLoading

@Suite(.gated)
struct Transactions {
    private func transactions(
        _ loader: HTTPDataLoader,
        _ url: URL
    ) async throws -> [FetchTransaction] {
        var request = FetchRequest(url: url)
        let tally = FetchTally()
        request.tally = tally
        do { _ = try await loader.response(for: request).collected() } catch is FetchError {}
        return tally.counts.transactions
    }

    @Test func `each request of a load is a transaction with timings, also redirects`() async throws {
        let routes = ["/a": OriginResponse.redirect(to: "/b"), "/b": .body(sampleBytes(50_000))]
        try await withOrigin(routes) { origin, loader async throws in
            let found = try await transactions(loader, origin.url("/a?secret=1"))
            #expect(found.map(\.address) == [origin.url("/a"), origin.url("/b")].map(\.absoluteString))
            #expect(found.map(\.status) == [302, 200])
            #expect(found.map(\.isReused) == [false, true])
            #expect(found.map { $0.connect == nil } == [false, true])
            #expect(found.allSatisfy { $0.version == "http/1.1" && $0.remoteAddress == "127.0.0.1" })
            #expect(found.allSatisfy { $0.tlsHandshake == nil && $0.wait != nil && $0.sentByteCount > 20 })
            #expect(found.last?.receivedByteCount == 50_000)
            for one in found {
                let parts = [one.connect ?? .zero, one.wait ?? .zero, one.body]
                #expect(parts.allSatisfy { $0 >= .zero && $0 <= one.total })
            }
        }
    }

    @Test func `a refused status and a broken body are transactions too`() async throws {
        let routes = ["/a": OriginResponse.status(404), "/b": .body(sampleBytes(9_000), resetAfter: 4_000)]
        try await withOrigin(routes) { origin, loader async throws in
            #expect(try await transactions(loader, origin.url("/a")).map(\.status) == [404])
            #expect(try await transactions(loader, origin.url("/b")).map(\.status) == [200])
        }
    }

    @Test func `a failed connection is a transaction without a response`() async throws {
        // The port has no listener; the port of a closed origin may already belong to another test.
        let url = try #require(URL(string: "http://127.0.0.1:1/a"))
        let loader = HTTPDataLoader(.patient)
        let found = try await transactions(loader, url)
        #expect(found.count == 1 && found[0].status == nil && found[0].wait == nil && !found[0].isReused)
        await loader.shutdown()
    }

    @Test func `the first hundred transactions are retained`() {
        let tally = FetchTally()
        for number in 0..<150 { tally.record(FetchTransaction(address: "\(number)")) }
        #expect(tally.counts.transactions.count == 100)
        #expect(tally.counts.transactions.last?.address == "99")
    }
}
