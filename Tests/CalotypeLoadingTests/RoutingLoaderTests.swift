import CalotypeLoading
import CalotypeTesting
import FoundationEssentials
import Testing

@Suite
struct Routing {
    @Test func `each scheme has its loader, whatever its case`() async throws {
        let urls = ["http://a/", "HTTPS://a/", "FILE:///tmp/a", "data:,a"].compactMap {
            URL(string: $0)
        }
        let loaders = (0..<3).map { number in
            let answer = StubDataLoader.Answer.data(Data([UInt8(number)]))
            return StubDataLoader(Dictionary(uniqueKeysWithValues: urls.map { ($0, answer) }))
        }
        let router = RoutingLoader([
            .http: loaders[0], .https: loaders[0], .file: loaders[1], "Data": loaders[2],
        ])
        var answers: [UInt8] = []
        for url in urls { answers += try await router.data(url) }
        #expect(answers == [0, 0, 1, 2])
    }

    @Test func `a URL without a scheme has no loader`() async throws {
        let url = try #require(URL(string: "/etc/hostname"))
        let error = await failure { try await RoutingLoader([.file: FileDataLoader()]).data(url) }
        #expect(error?.code == .unsupportedScheme)
    }

    @Test func `a scheme without a loader is an error that names those there are`() async throws {
        let router = RoutingLoader([.file: FileDataLoader(), .data: InlineDataLoader()])
        let url = try #require(URL(string: "gopher://a.test/"))
        let error = await failure { try await router.data(url) }
        #expect(error?.code == .unsupportedScheme)
        #expect(error?.detail == "no loader for “gopher”; there are loaders for data, file")
    }
}
