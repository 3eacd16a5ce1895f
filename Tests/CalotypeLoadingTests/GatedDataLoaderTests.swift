import CalotypeLoading
import CalotypeTesting
import FoundationEssentials
import TestSupport
import Testing

@Suite(.gated)
struct `The gated loader` {
    @Test func `loads wait, are released in order, and count when cancelled`() async throws {
        let url = try #require(URL(string: "http://a.test/"))
        let loader = GatedDataLoader(StubDataLoader([url: .data(Data([7]))]))
        let first = Task { try await loader.data(url) }
        await loader.until { $0.waiting == 1 }
        let second = Task { try await loader.data(url) }
        await loader.until { $0.waiting == 2 }
        loader.release()
        #expect(try await first.value == Data([7]))
        second.cancel()
        await #expect(throws: CancellationError.self) { try await second.value }
        #expect(loader.counts.started == 2)
        #expect(loader.counts.released == 1)
        #expect(loader.counts.cancelled == 1)
        loader.releaseAll()
        #expect(try await loader.data(url) == Data([7]))
        #expect(loader.requests.count == 3)
    }

    @Test func `a load released in advance does not wait`() async throws {
        let url = try #require(URL(string: "http://a.test/"))
        let loader = GatedDataLoader(StubDataLoader([:]))
        loader.release()
        #expect(await failure { try await loader.data(url) }?.code == .fileNotFound)
    }
}
