import Calotype
import CalotypeHummingbird
import CalotypeServer
import CalotypeTesting
import FoundationEssentials
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import NIOEmbedded
import PipelineSupport
import TestSupport
import Testing

/// A router with a service over test doubles, called without a socket.
private struct RouterBench {
    let loader: ScriptedDataLoader
    private let responder: RouterResponder<BasicRequestContext>

    init(
        below path: String = "",
        _ configuration: ImageService.Configuration = .patient
    ) throws {
        let picture = TestImages.photograph(PixelSize(width: 120, height: 90))
        let data = try JPEGEncoder(quality: 90).encode(picture)
        loader = ScriptedDataLoader { request, _ in
            .network(request.url, data, ["Cache-Control": "max-age=600"])
        }
        let cache = ImageCache(stores: [FakeByteStore()], codecs: .publicWeb)
        let pipeline = ImageService.pipeline(.init(cache: cache, loader: loader))
        let router = Router()
        router.get("own") { _, _ in "own" }
        router.addImages(of: ImageService(pipeline: pipeline, configuration: configuration), below: path)
        responder = router.buildResponder()
    }

    func ask(
        _ path: String,
        _ method: HTTPRequest.Method = .get,
        _ headers: HTTPFields = [:],
        body: ByteBuffer = ByteBuffer()
    ) async throws -> Response {
        try await ask(path, method, headers, RequestBody(buffer: body))
    }

    func ask(
        _ path: String,
        _ method: HTTPRequest.Method,
        _ headers: HTTPFields,
        _ body: RequestBody
    ) async throws -> Response {
        let head = HTTPRequest(
            method: method,
            scheme: "http",
            authority: "localhost",
            path: path,
            headerFields: headers
        )
        let source = ApplicationRequestContextSource(
            channel: NIOAsyncTestingChannel(),
            logger: Logger(label: "test")
        )
        return try await responder.respond(
            to: Request(head: head, body: body),
            context: BasicRequestContext(source: source)
        )
    }
}

private let path = "/unsafe/rs:fit:60:60/plain/http://src.test/photo.jpg"

@Suite(.blocking) struct RouterTests {
    @Test func `an image response has its length, and HEAD has no body`() async throws {
        let bench = try RouterBench()
        let whole = try await bench.ask(path)
        #expect(whole.status == .ok && whole.headers[.contentType] == "image/jpeg")
        let count = try #require(whole.body.contentLength)
        #expect(count > 0 && whole.headers[.contentLength] == "\(count)")
        let head = try await bench.ask(path, .head)
        #expect(head.status == .ok && head.body.contentLength == 0)
        #expect(head.headers[.contentLength] == "\(count)" && head.headers[.eTag] == whole.headers[.eTag])
        #expect(bench.loader.requests.count == 1)
    }

    @Test func `a conditional request is answered by 304 for GET and HEAD`() async throws {
        let bench = try RouterBench()
        let tag = try #require(try await bench.ask(path).headers[.eTag])
        for method in [HTTPRequest.Method.get, .head] {
            let answer = try await bench.ask(path, method, [.ifNoneMatch: "\"x\", W/\(tag)"])
            #expect(answer.status == .notModified && answer.body.contentLength == 0)
            #expect(answer.headers[.eTag] == tag)
        }
    }

    @Test func `the path is matched as received, with empty parts and percent-encoding`() async throws {
        let bench = try RouterBench()
        for target in [
            "/unsafe/rs%3Afit%3A60%3A60/plain/http:/src.test/photo.jpg", path + "?x=1",
            "/unsafe/rs:fit:60:60/plain/http%3A%2F%2Fsrc.test%2Fphoto.jpg",
            "/thumbor/unsafe/fit-in/60x60/http://src.test/photo.jpg",
        ] {
            #expect(try await bench.ask(target).status == .ok, "\(target)")
        }
        #expect(bench.loader.requests.count == 1)
    }

    @Test func `the application retains its routes, and the service has its own below a path`() async throws {
        let bench = try RouterBench(below: "/images/")
        #expect(try await bench.ask("/own").status == .ok)
        #expect(try await bench.ask("/images" + path).status == .ok)
        #expect(try await bench.ask("/images/health").status == .ok)
        #expect(try await bench.ask("/images/thumbor/unsafe/60x0/src.test/photo.jpg").status == .ok)
        #expect(try await bench.ask(path).status == .notFound)
    }

    @Test func `health and the supported methods are served`() async throws {
        let bench = try RouterBench()
        for method in [HTTPRequest.Method.get, .head] {
            let health = try await bench.ask("/health", method)
            #expect(health.status == .ok && health.headers[.cacheControl] == "no-store")
        }
        let options = try await bench.ask(path, .options)
        #expect(options.status == .noContent && options.headers[.allow] == "GET, HEAD, OPTIONS")
        #expect(try await bench.ask(path, .post).status == .notFound)
    }

    @Test func `an error is a problem document if the client accepts JSON`() async throws {
        let bench = try RouterBench()
        let answer = try await bench.ask("/unsafe/foo:1/\(path)", .get, [.accept: "application/json"])
        #expect(answer.status == .notFound)
        #expect(answer.headers[.contentType] == "application/problem+json")
        #expect(answer.headers[.cacheControl] == "no-store")
    }

    @Test func `a grammar whose source is in the query is served`() async throws {
        var configuration = ImageService.Configuration.patient
        let widths = try #require(AllowedWidths([60]))
        let site = try SiteOrigin("http://src.test")
        configuration.nextImage = NextImageGrammar(widths: widths, site: site)
        let bench = try RouterBench(below: "/img", configuration)
        let answer = try await bench.ask("/img/_next/image?url=%2Fphoto.jpg&w=60&q=75")
        #expect(answer.status == .ok && answer.headers[.contentType] == "image/jpeg")
        #expect(bench.loader.requests.map(\.url.absoluteString) == ["http://src.test/photo.jpg"])
    }

    @Test func `an application accepts uploads if the service does`() async throws {
        var configuration = ImageService.Configuration.patient
        configuration.uploads = UploadSettings(token: SigningKey("token-1"))
        configuration.limits.maxByteCount = 100_000
        let bench = try RouterBench(below: "/img", configuration)
        let picture = TestImages.photograph(PixelSize(width: 120, height: 90))
        let body = ByteBuffer(bytes: try JPEGEncoder(quality: 90).encode(picture))
        let (path, token) = ("/img/x/w:30/plain/-", HTTPFields.bearer("token-1"))
        let answer = try await bench.ask(path, .post, token, body: body)
        #expect(answer.status == .ok && answer.headers[.contentType] == "image/jpeg")
        #expect(try await bench.ask(path, .post, [:], body: body).status == .unauthorized)
        let large = ByteBuffer(repeating: 0, count: 100_001)
        #expect(try await bench.ask(path, .post, token, body: large).status == .contentTooLarge)
    }

    @Test func `an upload whose body does not end is refused after its time limit`() async throws {
        var configuration = ImageService.Configuration.patient
        configuration.uploads = UploadSettings(token: SigningKey("token-1"))
        configuration.uploads?.timeout = .milliseconds(50)
        let bench = try RouterBench(configuration)
        let (stream, body) = AsyncStream<ByteBuffer>.makeStream()
        body.yield(ByteBuffer(bytes: [0xFF, 0xD8, 0xFF]))
        let answer = try await bench.ask(
            "/x/w:60/plain/-",
            .post,
            .bearer("token-1"),
            RequestBody(asyncSequence: stream)
        )
        #expect(answer.status == .requestTimeout)
        body.finish()
    }
}

extension HTTPFields {
    fileprivate static func bearer(_ token: String) -> HTTPFields { [.authorization: "Bearer \(token)"] }
}
