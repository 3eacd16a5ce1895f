import CalotypeLoading
import CalotypeTesting
import FoundationEssentials
import TestSupport
import Testing

@Suite(.gated)
struct `Middleware` {
    private func mark(_ text: String) -> RequestModifier {
        RequestModifier { $0.headers.append(HeaderField("X", text)) }
    }

    private let plain = ScriptedDataLoader { _, _ in
        .chunks([sampleBytes(10)], ["Content-Length": "10"], expecting: 10)
    }

    @Test func `the first middleware gets requests first and responses last`() async throws {
        let answer: @Sendable (String) -> ResponseModifier = { text in
            ResponseModifier { $0.headers.append(HeaderField("Y", text)) }
        }
        let loader = MiddlewareLoader(plain, [mark("1"), answer("1"), mark("2"), answer("2")])
        let response = try await loader.response(for: .sample())
        #expect(plain.requests.first?.headers.map(\.value) == ["1", "2"])
        #expect(response.headers.filter { $0.name == "Y" }.map(\.value) == ["2", "1"])
    }

    @Test func `without middleware a loader is unchanged`() async throws {
        let loader = MiddlewareLoader(plain, [])
        #expect(try await loader.response(for: .sample()).collected() == sampleBytes(10))
        #expect(loader.cacheIdentity(for: .sample()) == "")
    }

    @Test func `a refused request is not sent`() async {
        let refusal = RequestModifier { _ in throw FetchError(.invalidRequest, detail: "no") }
        let loader = MiddlewareLoader(plain, [refusal])
        #expect(await failure { try await loader.response(for: .sample()) }?.detail == "no")
        #expect(plain.requests.isEmpty)
    }

    @Test func `a middleware may call the next loader twice, or not at all`() async throws {
        struct Twice: LoaderMiddleware {
            func response(for request: FetchRequest, next: any DataLoader) async throws -> FetchResponse {
                _ = try await next.response(for: request)
                return try await next.response(for: request)
            }
        }
        struct Never: LoaderMiddleware {
            func response(for request: FetchRequest, next: any DataLoader) async throws -> FetchResponse {
                .chunks([Data([7])])
            }
        }
        _ = try await MiddlewareLoader(plain, [Twice()]).response(for: .sample())
        #expect(plain.requests.count == 2)
        #expect(
            try await MiddlewareLoader(plain, [Never()]).response(for: .sample()).collected() == Data([7])
        )
        #expect(plain.requests.count == 2)
    }

    @Test(arguments: ["Authorization", "cookie", "PROXY-AUTHORIZATION"])
    func `credentials that are not part of the key are refused`(name: String) async throws {
        let secret = RequestModifier { $0.headers.append(HeaderField(name, "secret")) }
        let loader = MiddlewareLoader(plain, [secret])
        let error = await failure { try await loader.response(for: .sample()) }
        #expect(error?.code == .invalidRequest)
        #expect(error?.detail.contains("secret") == false)
        let removal = MiddlewareLoader(plain, [RequestModifier { $0.headers = [] }])
        #expect(
            await failure { try await removal.response(for: .sample([name: "x"])) }?.code == .invalidRequest
        )
        #expect(plain.requests.isEmpty)
        _ = try await MiddlewareLoader(plain, [mark("1")]).response(for: .sample([name: "x"]))
        #expect(plain.requests.count == 1)
    }

    @Test func `credentials of a middleware with an identity are sent, with the identity on the loader`()
        async throws
    {
        let secret = RequestModifier(cacheIdentity: "account 17") {
            $0.headers.append(HeaderField("Authorization", "secret"))
        }
        let loader = MiddlewareLoader(plain, [mark("1"), secret, mark("2")])
        _ = try await loader.response(for: .sample())
        #expect(plain.requests.first?["Authorization"] == "secret")
        #expect(loader.cacheIdentity(for: .sample()).contains("account 17"))
        let other = MiddlewareLoader(
            plain,
            [mark("1"), RequestModifier(cacheIdentity: "account 18") { _ in }]
        )
        #expect(loader.cacheIdentity(for: .sample()) != other.cacheIdentity(for: .sample()))
    }

    @Test func `identities are visible through wrapping loaders`() throws {
        let inner = MiddlewareLoader(plain, [RequestModifier(cacheIdentity: "a") { _ in }])
        let router = RoutingLoader([.http: RetryingLoader(inner), .data: plain])
        let url = try #require(URL(string: "http://a.test/"))
        #expect(!router.cacheIdentity(for: FetchRequest(url: url)).isEmpty)
        #expect(try router.cacheIdentity(for: FetchRequest(url: #require(URL(string: "data:,")))).isEmpty)
        // Middleware without an identity does not hide that of the loader.
        let unnamed = MiddlewareLoader(router, [RequestModifier { _ in }])
        #expect(!unnamed.cacheIdentity(for: FetchRequest(url: url)).isEmpty)
        let outer = MiddlewareLoader(router, [RequestModifier(cacheIdentity: "b") { _ in }])
        let identity = outer.cacheIdentity(for: FetchRequest(url: url))
        #expect(identity.contains("a") && identity.contains("b"))
    }

    @Test func `two identities never join to the same text`() {
        func identity(_ parts: [String]) -> String {
            MiddlewareLoader(plain, parts.map { part in RequestModifier(cacheIdentity: part) { _ in } })
                .cacheIdentity(for: .sample())
        }
        #expect(identity(["a", "b"]) != identity(["ab", ""]))
        #expect(identity(["a,1:b", ""]) != identity(["a", "b"]))
        #expect(identity(["a", "b"]) != identity(["b", "a"]))
    }

    @Test func `a refused response fails the load`() async {
        let check = ResponseModifier { response in
            throw FetchError(.unacceptableContentType, status: response.status, detail: "a page")
        }
        let error = await failure { try await MiddlewareLoader(plain, [check]).response(for: .sample()) }
        #expect(error == FetchError(.unacceptableContentType, status: 200, detail: "a page"))
    }
}

@Suite(.gated)
struct `Body transforms` {
    private func loader(
        _ response: FetchResponse,
        _ transform: @escaping BodyTransform.Transform = { Data($0.map { $0 ^ 0xFF }) }
    ) -> MiddlewareLoader {
        MiddlewareLoader(ScriptedDataLoader { _, _ in response }, [BodyTransform(transform)])
    }

    @Test func `the whole body is transformed, and no size is announced`() async throws {
        let headers: KeyValuePairs = ["Content-Length": "30", "ETag": "\"a\"", "Accept-Ranges": "bytes"]
        let chunks = [sampleBytes(10), sampleBytes(20)]
        let response = try await loader(.chunks(chunks, headers, expecting: 30)).response(for: .sample())
        #expect(response.expectedByteCount == nil)
        let kept = [HeaderField("ETag", "\"a\""), HeaderField("Accept-Ranges", "none")]
        #expect(response.headers == kept)
        let expected = Data((sampleBytes(10) + sampleBytes(20)).map { $0 ^ 0xFF })
        #expect(try await response.collected() == expected)
    }

    @Test func `the limit applies before and after the transform`() async throws {
        var request = FetchRequest.sample()
        request.maxByteCount = 10
        let long = loader(.chunks([sampleBytes(11)]))
        #expect(await failure { try await long.response(for: request).collected() }?.code == .bodyTooLarge)
        let growing = loader(.chunks([sampleBytes(10)])) { $0 + $0 }
        #expect(await failure { try await growing.response(for: request).collected() }?.code == .bodyTooLarge)
        let fitting = loader(.chunks([sampleBytes(10)])) { $0 }
        #expect(try await fitting.response(for: request).collected() == sampleBytes(10))
    }

    @Test func `a broken body is not transformed`() async {
        let broken = loader(.chunks([sampleBytes(5)], then: lost)) { bytes in
            Issue.record("transformed")
            return bytes
        }
        #expect(await failure { try await broken.response(for: .sample()).collected() } == lost)
    }

    @Test func `a failing transform fails the load`() async {
        let error = FetchError(.invalidResponse, detail: "not sealed by us")
        let refusing = loader(.chunks([sampleBytes(5)])) { _ in throw error }
        #expect(await failure { try await refusing.response(for: .sample()).collected() } == error)
    }

    @Test(arguments: [204, 304])
    func `a response without a body passes unchanged`(status: Int) async throws {
        let response = try await loader(.chunks([], status: status, expecting: 0)).response(for: .sample())
        #expect(response.expectedByteCount == 0)
        #expect(try await response.collected().isEmpty)
    }

    @Test func `a partial response is refused, so that no retry joins bytes before and after`() async {
        let part = FetchRequest.sample(["Range": "bytes=5-"])
        let error = await failure { try await loader(.chunks([sampleBytes(5)])).response(for: part) }
        #expect(error?.code == .invalidRequest)
    }
}
