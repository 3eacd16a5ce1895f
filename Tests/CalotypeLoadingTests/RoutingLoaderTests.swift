import CalotypeLoading
import CalotypeTesting
import FoundationEssentials
import LoopbackOrigin
import TestSupport
import Testing

@Suite(.gated)
struct Routing {
    @Test func `a URL is routed by its scheme in any case`() async throws {
        let urls = ["http://a/", "HTTPS://a/", "FILE:///tmp/a", "data:,a"].compactMap {
            URL(string: $0)
        }
        let loaders = (0..<3).map { number in
            let answer = StubDataLoader.Response.data(Data([UInt8(number)]))
            return StubDataLoader(Dictionary(uniqueKeysWithValues: urls.map { ($0, answer) }))
        }
        let router = RoutingLoader([
            .http: loaders[0], .https: loaders[0], .file: loaders[1], "Data": loaders[2],
        ])
        var answers: [UInt8] = []
        for url in urls { answers += try await router.data(url) }
        #expect(answers == [0, 0, 1, 2])
    }

    @Test func `a router has an identity if one of its loaders has`() {
        let plain: any DataLoader = StubDataLoader([:])
        let signing = MiddlewareLoader(plain, [RequestModifier(cacheIdentity: "a") { _ in }])
        #expect(!RoutingLoader([.https: plain]).hasCacheIdentity)
        #expect(RoutingLoader([.http: plain, .https: signing]).hasCacheIdentity)
        #expect(RoutingLoader([.https: RetryingLoader(signing)]).hasCacheIdentity)
        #expect(!RoutingLoader([.https: RetryingLoader(plain)]).hasCacheIdentity)
    }

    @Test func `a URL without a scheme is refused`() async throws {
        let url = try #require(URL(string: "/etc/hostname"))
        let error = await failure { try await RoutingLoader([.file: FileDataLoader()]).data(url) }
        #expect(error?.code == .unsupportedScheme)
    }

    @Test func `an unsupported scheme is an error that lists the supported ones`() async throws {
        let router = RoutingLoader([.file: FileDataLoader(), .data: DataURLLoader()])
        let url = try #require(URL(string: "gopher://a.test/"))
        let error = await failure { try await router.data(url) }
        #expect(error?.code == .unsupportedScheme)
        #expect(error?.detail == "no loader for “gopher”; supported schemes: data, file")
    }

    @Test(arguments: ["file:///etc/hostname", "data:,a", "gopher://a.test/"])
    func `a loader for the public web accepts only http and https URLs`(text: String) async throws {
        let url = try #require(URL(string: text))
        let loader = RoutingLoader.publicWeb()
        let error = await failure { try await loader.data(url) }
        #expect(error?.code == .unsupportedScheme)
        await loader.shutdown()
    }

    @Test func `a loader for the public web refuses private addresses, unless a policy allows them`()
        async throws
    {
        try await withOrigin(["/": .body(sampleBytes(3))]) { origin, _ async throws in
            let url = origin.url("/")
            let closed = RoutingLoader.publicWeb()
            let error = await failure { try await closed.data(url) }
            #expect(error?.code == .addressRefused)
            #expect(await origin.activity.snapshot.openedCount == 0)
            var configuration = HTTPDataLoader.Configuration.patient
            configuration.addressPolicy = .publicOnly(allowing: ["127.0.0.0/8"])
            let open = RoutingLoader.publicWeb(configuration)
            #expect(try await open.data(url) == sampleBytes(3))
            for loader in [closed, open] { await loader.shutdown() }
        }
    }
}
