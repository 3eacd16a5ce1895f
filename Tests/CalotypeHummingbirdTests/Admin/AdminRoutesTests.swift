import Calotype
import CalotypeTesting
import Foundation
import HTTPTypes
import NIOCore
import PipelineSupport
import TestSupport
import Testing

@testable import CalotypeHummingbird
@testable import CalotypeServer

/// An admin listener without a socket, with a service over test doubles.
private struct AdminBench {
    let loader: ScriptedDataLoader
    let service: ImageService
    let routes: AdminRoutes
    let isReady = SharedState(true)

    init(token: String? = nil, keys: [SigningKey] = []) throws {
        let picture = TestImages.photograph(PixelSize(width: 120, height: 90))
        let data = try JPEGEncoder(quality: 90).encode(picture)
        loader = ScriptedDataLoader { request, _ in
            .network(request.url, data, ["Cache-Control": "max-age=600"])
        }
        let cache = ImageCache(stores: [FakeByteStore()], codecs: .publicWeb)
        let statistics = ServiceStatistics()
        var configuration = ImageService.Configuration.patient
        configuration.observer = statistics
        configuration.imgproxy = ImgproxyGrammar(signature: ImgproxySignature(keys: keys))
        service = ImageService(
            pipeline: ImageService.pipeline(.init(cache: cache, loader: loader)),
            configuration: configuration
        )
        let isReady = isReady
        routes = AdminRoutes(
            service,
            statistics: statistics,
            access: AdminAccess(token: token),
            place: .init(pictures: "http://127.0.0.1:8080", isSigned: !keys.isEmpty)
        ) { [service] in
            var readings = service.readings
            readings.isReady = isReady.value
            return readings
        }
    }

    func ask(
        _ path: String,
        _ method: HTTPRequest.Method = .get,
        _ body: String = "",
        host: String = "127.0.0.1:8081"
    ) async throws -> ListenerResponse {
        var head = HTTPRequest(method: method, scheme: "http", authority: host, path: path)
        if method == .post { head.headerFields[.contentType] = "application/json" }
        return try await routes.response(to: ListenerRequest(head: head, body: ByteBuffer(string: body)))
    }

    func post(_ path: String, _ body: String) async throws -> (status: Int, body: String) {
        let answer = try await ask(path, .post, body)
        return (answer.head.status.code, String(buffer: answer.body))
    }
}

private let path = "/rs:fit:60:60/plain/http://src.test/photo.jpg@png"

@Suite(.blocking) struct AdminRoutesTests {
    @Test func `metrics and status figures count the requests`() async throws {
        let bench = try AdminBench()
        _ = try await bench.service.response(to: ServiceRequest(target: "/unsafe" + path))
        let metrics = String(buffer: try await bench.ask("/metrics").body)
        #expect(metrics.contains(#"calotype_requests_total{status="200"} 1"#))
        let status = try await bench.ask("/status.json")
        let data = Data(status.body.readableBytesView)
        let object = try JSONSerialization.jsonObject(with: data) as? [String: Any]
        #expect(object?["requests"] as? Int == 1)
        #expect(status.head.headerFields[.cacheControl] == "no-store")
    }

    @Test func `liveness is always ok, and readiness follows the state`() async throws {
        let bench = try AdminBench()
        #expect(try await bench.ask("/health/ready").head.status == .ok)
        bench.isReady.withLock { $0 = false }
        #expect(try await bench.ask("/health/ready").head.status == .serviceUnavailable)
        #expect(try await bench.ask("/health/live").head.status == .ok)
        #expect(String(buffer: try await bench.ask("/metrics").body).contains("calotype_ready 0"))
    }

    @Test(arguments: [
        #"{"source": "http://src.test/photo.jpg"}"#, #"{"prefix": "http://src.test/"}"#, #"{"all": true}"#,
    ])
    func `a purge returns its counts, and the image is fetched again`(body: String) async throws {
        let bench = try AdminBench()
        let request = ServiceRequest(target: "/unsafe" + path)
        _ = try await bench.service.response(to: request)
        // An entry counts once it is written.
        await bench.service.pipeline.untilIdle()
        let purged = try await bench.post("/purge", body)
        #expect(purged.status == 200 && purged.body == #"{"originals":1,"results":1}"#, "\(purged)")
        #expect(try await bench.service.response(to: request)["X-Cache"] == "miss")
        #expect(bench.loader.requests.count == 2)
    }

    @Test(arguments: [
        "", "{}", "[]", "no JSON", #"{"source": ""}"#, #"{"prefix": ""}"#, #"{"all": false}"#,
        #"{"source": "http://a/", "all": true}"#, #"{"source": "http://a/", "prefix": "http://b/"}"#,
        #"{"source": 7}"#, #"{"source": "no URL"}"#,
    ])
    func `a purge without a target, with several, or without a URL is refused`(body: String) async throws {
        let bench = try AdminBench()
        #expect(try await bench.post("/purge", body).status == 400)
    }

    @Test func `a URL is signed as the service verifies it`() async throws {
        let bench = try AdminBench(keys: [SigningKey(key: [1, 2, 3], salt: [4])])
        let answer = try await bench.post("/sign", #"{"path": "\#(path)"}"#)
        let object = try JSONSerialization.jsonObject(with: Data(answer.body.utf8)) as? [String: String]
        let target = try #require(object?["target"])
        #expect(object?["url"] == "http://127.0.0.1:8080" + target)
        #expect(try await bench.service.response(to: ServiceRequest(target: target)).status == 200)
        #expect(try await bench.service.response(to: ServiceRequest(target: "/unsafe" + path)).status == 403)
        let thumbor = try await bench.post("/sign", #"{"path": "60x0/a.test/b", "grammar": "thumbor"}"#)
        #expect(thumbor.body.contains("/thumbor/unsafe/60x0/a.test/b"))
        #expect(try await bench.post("/sign", #"{"path": "/x", "grammar": "other"}"#).status == 400)
    }

    @Test func `a test image is returned with its headers`() async throws {
        let bench = try AdminBench(keys: [SigningKey(key: [1, 2, 3], salt: [4])])
        let answer = try await bench.ask("/picture", .post, #"{"path": "\#(path)"}"#)
        #expect(answer.head.status == .ok && answer.head.headerFields[.contentType] == "image/png")
        #expect(answer.body.readableBytes > 0 && answer.head.headerFields[.cacheControl] == "no-store")
        let refused = try await bench.ask("/picture", .post, #"{"path": "/foo:1/plain/http://a.test/b"}"#)
        #expect(refused.head.status == .notFound)
    }

    @Test func `without the token only health and the static console are served`() async throws {
        let bench = try AdminBench(token: "s3cret")
        for route in Route.allCases {
            let method = route.methods[0]
            let answer = try await bench.ask(route.rawValue, method, #"{"all": true}"#)
            #expect((answer.head.status == .unauthorized) == !route.isOpen, "\(route)")
        }
        #expect(Route.allCases.filter(\.isOpen) == [.console, .style, .script, .live, .ready])
    }

    @Test func `every route refuses foreign host names`() async throws {
        let bench = try AdminBench()
        for route in Route.allCases {
            let answer = try await bench.ask(route.rawValue, route.methods[0], host: "evil.example")
            #expect(answer.head.status == .misdirectedRequest, "\(route)")
        }
    }

    @Test func `other paths and methods are refused`() async throws {
        let bench = try AdminBench()
        for target in ["/other", "//", "/metrics/", "/unsafe" + path, "/../metrics"] {
            #expect(try await bench.ask(target).head.status == .notFound, "\(target)")
        }
        #expect(try await bench.ask("/purge").head.status == .methodNotAllowed)
        #expect(try await bench.ask("/metrics", .post).head.status == .methodNotAllowed)
        #expect(try await bench.ask("/metrics?x=1").head.status == .ok)
    }

    @Test func `the console page loads only its own files`() async throws {
        let bench = try AdminBench()
        let page = try await bench.ask("/")
        let policy = try #require(page.head.headerFields[.contentSecurityPolicy])
        #expect(policy.contains("default-src 'none'") && !policy.contains("unsafe"))
        let html = String(buffer: page.body)
        for word in ["http:", "https://cdn", "//cdn", "onclick", "style=\"", "<style", "javascript:"] {
            #expect(!html.contains(word), "\(word)")
        }
        #expect(!ConsolePage.script.contains("innerHTML") && !ConsolePage.script.contains("eval("))
        #expect(!ConsolePage.style.contains("url(") && !ConsolePage.style.contains("@import"))
    }

    @Test func `every element that the script uses is in the page`() throws {
        let uses = try Regex(#"(?:byId|put|rows|line|said)\('([a-z-]*[a-z])'"#)
        let names = ConsolePage.script.matches(of: uses)
            .compactMap { $0.output[1].substring }
        #expect(names.count > 20)
        for name in names { #expect(ConsolePage.html.contains("id=\"\(name)\""), "\(name)") }
    }
}
