import CalotypeLoading
import CalotypeTesting
import FoundationEssentials
import PipelineSupport
import TestSupport
import Testing

@testable import Calotype
@testable import CalotypeServer

private let path = "/unsafe/rs:fit:60:60/\(examplePath)"

@Suite(.blocking) struct ImageServiceTests {
    @Test func `an image is rendered once, then served from memory, and from disk after a restart`()
        async throws
    {
        let bench = try ServiceBench()
        let service = bench.service()
        let first = try await service.response(to: ServiceRequest(target: path))
        #expect(first.status == 200 && first["X-Cache"] == "miss")
        #expect(first["Content-Type"] == "image/jpeg" && first["X-Content-Type-Options"] == "nosniff")
        #expect(first["Cache-Control"] == "public, max-age=31536000")
        #expect(first["Content-Disposition"] == "inline; filename=\"photo.jpg\"")
        let info = try CodecRegistry.publicWeb.info(of: first.body, limits: DecodeLimits())
        #expect(info.size == PixelSize(width: 60, height: 45))
        let second = try await service.response(to: ServiceRequest(target: path))
        #expect(second["X-Cache"] == "memory" && second.body == first.body && second["ETag"] == first["ETag"])
        await service.pipeline.untilIdle()
        let third = try await bench.service().response(to: ServiceRequest(target: path))
        #expect(third["X-Cache"] == "disk" && third.body == first.body)
        #expect(bench.loader.requests.count == 1)
    }

    @Test func `a result from a cached original is a miss without a load`() async throws {
        let bench = try ServiceBench()
        let service = bench.service()
        _ = try await service.response(to: ServiceRequest(target: path))
        let other = try await service.response(to: ServiceRequest(target: "/unsafe/w:30/\(examplePath)"))
        #expect(other["X-Cache"] == "miss" && bench.loader.requests.count == 1)
    }

    @Test func `a matching entity tag gets a 304 without a body`() async throws {
        let service = try ServiceBench().service()
        let answer = try await service.response(to: ServiceRequest(target: path))
        let tag = try #require(answer["ETag"])
        for list in [tag, "W/\(tag)", "\"x\", \(tag)", "*"] {
            let again = try await service.response(to: ServiceRequest(target: path, ifNoneMatch: list))
            #expect(again.status == 304 && again.body.isEmpty && again["ETag"] == tag, "\(list)")
            #expect(
                again["Cache-Control"] != nil && again["Vary"] == "Accept" && again["Content-Type"] == nil
            )
        }
        let changed = try await service.response(to: ServiceRequest(target: path, ifNoneMatch: "\"x\""))
        #expect(changed.status == 200)
    }

    @Test func `a client gets a format it accepts, and only negotiated responses vary`() async throws {
        let service = try ServiceBench().service()
        let accept = "image/webp,*/*;q=0.8"
        let negotiated = try await service.response(to: ServiceRequest(target: path, accept: accept))
        #expect(negotiated["Content-Type"] == "image/webp" && negotiated["Vary"] == "Accept")
        #expect(ImageFormat(sniffing: negotiated.body) == .webP)
        let plain = try await service.response(to: ServiceRequest(target: path, accept: "*/*"))
        #expect(plain["Content-Type"] == "image/jpeg" && plain["Vary"] == "Accept")
        let named = try await service.response(to: ServiceRequest(target: path + "@png", accept: accept))
        #expect(named["Content-Type"] == "image/png" && named["Vary"] == nil)
        // Another spelling of the same Accept has the same result.
        let respelled = ServiceRequest(target: path, accept: "IMAGE/WEBP;q=1.0, text/html;q=0.1")
        #expect(try await service.response(to: respelled)["X-Cache"] == "memory")
    }

    @Test func `both grammars are served, and equal renderings share one result`() async throws {
        let service = try ServiceBench().service()
        let left = try await service.response(to: ServiceRequest(target: "/unsafe/q:50/\(examplePath)@webp"))
        let target = "/thumbor/unsafe/filters:format(webp):quality(50)/src.test/photo.jpg"
        let right = try await service.response(to: ServiceRequest(target: target))
        #expect(left.status == 200 && right["X-Cache"] == "memory" && left.body == right.body)
    }

    @Test func `the original bytes are returned if the URL requests them`() async throws {
        let bench = try ServiceBench()
        let service = bench.service()
        let raw = try await service.response(to: ServiceRequest(target: "/unsafe/raw:1/w:5/\(examplePath)"))
        let kept = try await service.response(
            to: ServiceRequest(target: "/unsafe/skp:jpg/w:5/\(examplePath)")
        )
        #expect(raw.body == kept.body && raw["X-Cache"] == "miss" && kept["X-Cache"] == "memory")
        let info = try CodecRegistry.publicWeb.info(of: raw.body, limits: DecodeLimits())
        #expect(info.size == PixelSize(width: 120, height: 90))
    }

    @Test func `sixteen clients for one new URL cause one load and one decode`() async throws {
        let bench = try ServiceBench()
        let statistics = ServiceStatistics()
        let service = bench.service { $0.observer = statistics }
        let tags = try await withThrowingTaskGroup { group in
            for _ in 0..<16 {
                group.addTask { try await service.response(to: ServiceRequest(target: path))["ETag"] }
            }
            return try await group.reduce(into: Set<String?>()) { $0.insert($1) }
        }
        #expect(tags.count == 1 && bench.loader.requests.count == 1)
        #expect(statistics.snapshot.requestCount == 16)
        #expect(statistics.snapshot.steps["decode"]?.count == 1)
    }
}

@Suite(.blocking) struct ImageServiceErrorTests {
    @Test(arguments: [
        ("/unsafe/foo:1/\(examplePath)", 404, "unknownOption"),
        ("/unsafe/wm:1/\(examplePath)", 422, "unsupportedOption"),
        ("/w:1/\(examplePath)", 403, "invalidSignature"),
        ("/unsafe/plain/http://evil.test/a", 403, "sourceNotAllowed"),
        ("/unsafe/plain/http://src.test%40evil.test/a", 404, "invalidSource"), ("/", 404, "malformedPath"),
        ("/unsafe/exp:1/\(examplePath)", 404, "expired"),
        ("/unsafe/\(examplePath)@svg", 422, "unsupportedFormat"),
        ("/thumbor/unsafe/filters:frame(a)/src.test/a", 422, "unsupportedOption"),
        ("/thumbor/unsafe/filters:red_eye()/src.test/a", 422, "unsupportedOption"),
        ("/unsafe/plain/local:///etc/passwd", 403, "sourceNotAllowed"),
    ])
    func `an impossible request is refused before loading, with its code`(
        target: String,
        status: Int,
        code: String
    ) async throws {
        let bench = try ServiceBench()
        let places = try SourcePolicy(["src.test"])
        let service = bench.service { $0.sources = places }
        let text = try await service.response(to: ServiceRequest(target: target))
        #expect(text.status == status && text["Content-Type"] == "text/plain; charset=utf-8")
        #expect(String(decoding: text.body, as: UTF8.self).hasSuffix("(\(code))\n"))
        #expect(text["Cache-Control"] == "no-store" && text["ETag"] == nil)
        let json = try await service.response(to: ServiceRequest(target: target, accept: "application/json"))
        #expect(json["Content-Type"] == "application/problem+json")
        #expect(String(decoding: json.body, as: UTF8.self).contains("\"code\":\"\(code)\""))
        #expect(bench.loader.requests.isEmpty)
    }

    @Test(arguments: [(404, 404), (403, 502), (500, 502)])
    func `an origin's error is reported by its status alone`(origin: Int, status: Int) async throws {
        let bench = try ServiceBench { request, _ in
            throw FetchError(.unacceptableStatus, status: origin, detail: "secret of \(request.url)")
        }
        let answer = try await bench.service().response(to: ServiceRequest(target: path))
        #expect(answer.status == status)
        let text = String(decoding: answer.body, as: UTF8.self)
        #expect(!text.contains("secret") && !text.contains("src.test"))
    }

    @Test func `an HTML page from an origin is refused, also if its raw bytes are requested`() async throws {
        let bench = try ServiceBench { request, _ in
            .network(request.url, Data("<html>secret</html>".utf8), ["Content-Type": "text/html"])
        }
        let service = bench.service()
        for target in [path, "/unsafe/raw:1/\(examplePath)"] {
            let answer = try await service.response(to: ServiceRequest(target: target))
            #expect(answer.status == 422 && !String(decoding: answer.body, as: UTF8.self).contains("secret"))
        }
    }

    @Test func `requests beyond the queue limit are refused, and cached images are still served`()
        async throws
    {
        let bench = try ServiceBench()
        let service = bench.service(work: 1, waiting: 0)
        _ = try await service.response(to: ServiceRequest(target: path))
        let place = try await service.pipeline.stages.limits.making?.enter(LivePriority())
        #expect(try await service.response(to: ServiceRequest(target: path))["X-Cache"] == "memory")
        let other = ServiceRequest(target: "/unsafe/w:8/plain/http://src.test/other.jpg")
        for _ in 0..<2 {
            let refused = try await service.response(to: other)
            #expect(refused.status == 503 && refused["Retry-After"] == "1")
        }
        place?.end()
        #expect(try await service.response(to: other).status == 200)
        #expect(bench.loader.requests.count == 2, "overload asks an origin for nothing twice")
    }

    @Test func `a disconnected client releases its permit`() async throws {
        let began = [AsyncGate(), AsyncGate()]
        let bench = try ServiceBench { request, index in
            began[index].open()
            return FetchResponse(
                origin: .network,
                url: request.url,
                status: 200,
                headers: [],
                expectedByteCount: nil,
                body: PacedBody().body
            )
        }
        let service = bench.service(work: 1, waiting: 0)
        let client = Task { try await service.response(to: ServiceRequest(target: path)) }
        await began[0].wait()
        client.cancel()
        await #expect(throws: CancellationError.self) { try await client.value }
        await service.pipeline.untilIdle()
        let next = Task {
            try await service.response(to: ServiceRequest(target: "/unsafe/w:8/\(examplePath)"))
        }
        await began[1].wait()
        next.cancel()
        _ = await next.result
    }
}
