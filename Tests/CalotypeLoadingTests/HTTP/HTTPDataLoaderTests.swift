import CalotypeCore
import CalotypeLoading
import FoundationEssentials
import LoopbackOrigin
import TestSupport
import Testing

@Suite(.gated)
struct `HTTP loads` {
    @Test func `the body and the header are returned as sent`() async throws {
        let bytes = sampleBytes(300_000)
        try await withOrigin(["/a.png": .body(bytes, type: "image/png")]) { origin, loader async throws in
            let response = try await loader.response(for: FetchRequest(url: origin.url("/a.png")))
            #expect(response.origin == .network)
            #expect(response.status == 200)
            #expect(response.url == origin.url("/a.png"))
            #expect(response.expectedByteCount == 300_000)
            #expect(response.headers.contains(HeaderField("Content-Type", "image/png")))
            #expect(try await response.collected() == bytes)
        }
    }

    @Test func `a chunked body has no announced size and is complete`() async throws {
        let chunks = (1...20).map { sampleBytes($0 * 1000) }
        try await withOrigin(["/": .chunked(chunks)]) { origin, loader async throws in
            let response = try await loader.response(for: FetchRequest(url: origin.url("/")))
            #expect(response.expectedByteCount == nil)
            #expect(try await response.collected() == Data(chunks.joined()))
        }
    }

    @Test func `a body that ends with the connection is complete`() async throws {
        let response = OriginResponse(framing: .untilClose, steps: [.bytes(sampleBytes(5000))])
        try await withOrigin(["/": response]) { origin, loader async throws in
            #expect(try await loader.data(origin.url("/")) == sampleBytes(5000))
        }
    }

    @Test func `an empty body is a response without chunks`() async throws {
        try await withOrigin(["/": .body(Data()), "/204": OriginResponse(status: 204, framing: .raw)]) {
            origin,
            loader async throws in
            let response = try await loader.response(for: FetchRequest(url: origin.url("/")))
            #expect(response.expectedByteCount == 0)
            #expect(try await response.collected().isEmpty)
        }
    }

    @Test func `only the documented fields are sent to the origin`() async throws {
        try await withOrigin(["/a": .body(Data())]) { origin, loader async throws in
            _ = try await loader.data(
                origin.url("/a?b=c#fragment"),
                headers: [
                    HeaderField("X-Extra", "1"), HeaderField("accept-encoding", "gzip"),
                    HeaderField("Host", "other"),
                ]
            )
            let request = try #require(await origin.activity.snapshot.requests.first)
            #expect(request.method == "GET")
            #expect(request.target == "/a?b=c")
            #expect(request[header: "accept"] == "image/avif,image/webp,image/jxl,image/*,*/*;q=0.8")
            #expect(request[header: "user-agent"] == "Calotype")
            #expect(request[header: "x-extra"] == "1")
            #expect(request[header: "host"] == "127.0.0.1:\(origin.port)")
            #expect(request.headers.filter { $0.name == "accept-encoding" }.map(\.value) == ["identity"])
            // No cookie, no trace context, nothing that identifies the user.
            let names = Set(request.headers.map { $0.name.lowercased() })
            #expect(names == ["host", "accept", "accept-encoding", "user-agent", "x-extra"])
        }
    }

    @Test func `header fields of the request replace the defaults`() async throws {
        try await withOrigin(["/": .body(Data())]) { origin, loader async throws in
            let headers = [HeaderField("ACCEPT", "image/webp"), HeaderField("User-agent", "me")]
            _ = try await loader.data(origin.url("/"), headers: headers)
            let request = try #require(await origin.activity.snapshot.requests.first)
            #expect(request.headers.filter { $0.name == "accept" }.map(\.value) == ["image/webp"])
            #expect(request.headers.filter { $0.name == "user-agent" }.map(\.value) == ["me"])
        }
    }

    @Test func `name and password in a URL become basic authentication and are not shown elsewhere`()
        async throws
    {
        let routes = ["/": OriginResponse.body(Data()), "/denied": .status(403)]
        try await withOrigin(routes) { origin, loader async throws in
            let url = try #require(URL(string: "http://ann:s%40cret@127.0.0.1:\(origin.port)/"))
            let response = try await loader.response(for: FetchRequest(url: url))
            #expect(response.url == origin.url("/"))
            let request = try #require(await origin.activity.snapshot.requests.first)
            #expect(
                request[header: "authorization"] == "Basic " + Data("ann:s@cret".utf8).base64EncodedString()
            )

            let error = await failure { try await loader.data(url.appending(path: "denied")) }
            #expect(error?.code == .unacceptableStatus)
            #expect(error?.description.contains("cret") == false)
        }
    }

    @Test(arguments: ["/", "/redirect", "/missing"])
    func `connections are reused`(path: String) async throws {
        let routes = ["/": OriginResponse.body(sampleBytes(10)), "/redirect": .redirect(to: "/")]
        try await withOrigin(routes) { origin, loader async throws in
            for _ in 1...20 {
                if path == "/missing" {
                    #expect(await failure { try await loader.data(origin.url(path)) }?.status == 404)
                } else {
                    #expect(try await loader.data(origin.url(path)) == sampleBytes(10))
                }
            }
            #expect(await origin.activity.snapshot.openedCount == 1)
        }
    }

    @Test(arguments: [
        (404, false), (410, false), (403, false), (500, true), (503, true), (429, true), (304, false),
    ])
    func `an unaccepted status is an error`(status: Int, isRetryable: Bool) async throws {
        try await withOrigin(["/": OriginResponse(status: status)]) { origin, loader async throws in
            let error = await failure { try await loader.response(for: FetchRequest(url: origin.url("/"))) }
            #expect(error?.code == .unacceptableStatus)
            #expect(error?.status == status)
            #expect(error?.isRetryable == isRetryable)
        }
    }

    @Test func `accepted statuses are configurable`() async throws {
        let configuration = HTTPDataLoader.Configuration.with { $0.acceptedStatuses = [404] }
        try await withOrigin(["/": .body(Data())], configuration) { origin, loader async throws in
            #expect(try await loader.response(for: FetchRequest(url: origin.url("/none"))).status == 404)
            #expect(await failure { try await loader.data(origin.url("/")) }?.status == 200)
        }
    }

    @Test func `a 304 is accepted only for a conditional request`() async throws {
        try await withOrigin(["/": OriginResponse(status: 304, framing: .announced(500))]) {
            origin,
            loader async throws in
            let request = FetchRequest(url: origin.url("/"), headers: [HeaderField("If-None-Match", "\"a\"")])
            let response = try await loader.response(for: request)
            #expect(response.status == 304)
            #expect(try await response.collected().isEmpty)
        }
    }

    @Test func `an unrequested 206 is refused`() async throws {
        try await withOrigin(["/": OriginResponse(status: 206)]) { origin, loader async throws in
            #expect(await failure { try await loader.data(origin.url("/")) }?.code == .invalidResponse)
            let range = [HeaderField("Range", "bytes=0-")]
            #expect(try await loader.data(origin.url("/"), headers: range).isEmpty)
        }
    }

    @Test func `accepted content types are configurable, with a wildcard`() async throws {
        let routes = [
            "/png": OriginResponse.body(Data(), type: "Image/PNG; charset=x"),
            "/html": .body(Data(), type: "text/html"),
            "/none": OriginResponse(),
        ]
        let configuration = HTTPDataLoader.Configuration.with { $0.acceptedContentTypes = ["image/*"] }
        try await withOrigin(routes, configuration) { origin, loader async throws in
            #expect(try await loader.data(origin.url("/png")).isEmpty)
            for path in ["/html", "/none"] {
                #expect(
                    await failure { try await loader.data(origin.url(path)) }?.code
                        == .unacceptableContentType
                )
            }
        }
    }

    @Test func `the defaults match the documentation`() {
        let configuration = HTTPDataLoader.Configuration()
        #expect(configuration.maxFetchConcurrency == 64)
        #expect(configuration.maxFetchConcurrencyPerHost == 6)
        #expect(configuration.maxQueuedFetchCount == 10_000)
        #expect(configuration.queueOrder == .oldestFirst)
        #expect(configuration.rateLimit == nil)
        #expect(configuration.addressPolicy == .any)
        #expect(configuration.proxy == nil)
        #expect(configuration.additionalTrustRoots.isEmpty)
        #expect(configuration.connectTimeout == .seconds(10))
        #expect(configuration.idleTimeout == .seconds(15))
        #expect(configuration.totalTimeout == .seconds(60))
        #expect(configuration.maxRedirectCount == 5)
        #expect(configuration.acceptedStatuses == Set(200...299))
        #expect(configuration.acceptedContentTypes == nil)
    }
}
