import CalotypeLoading
import CalotypeTesting
import Foundation
import Testing

@testable import CalotypeCLI

@Suite struct BodyKeeperTests {
    private let url = URL(filePath: "/a")

    @Test func `a body that came whole is there once`() async throws {
        let keeper = BodyKeeper(StubDataLoader([url: .data(Data([1, 2, 3]))]))
        let body = try await keeper.response(for: FetchRequest(url: url)).collected()
        #expect(body == Data([1, 2, 3]))
        #expect(keeper.take(url) == Data([1, 2, 3]))
        #expect(keeper.take(url) == nil)
    }

    @Test func `a body that did not come whole is not kept`() async throws {
        let keeper = BodyKeeper(StubDataLoader([url: .data(Data([1, 2, 3]))]))
        var chunks = try await keeper.response(for: FetchRequest(url: url)).body.makeAsyncIterator()
        #expect(try await chunks.next() == Data([1, 2, 3]))
        #expect(keeper.take(url) == nil)
    }
}
