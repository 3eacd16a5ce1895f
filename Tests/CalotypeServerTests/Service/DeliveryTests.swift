import Calotype
import CalotypeServer
import CalotypeTesting
import FoundationEssentials
import PipelineSupport
import TestSupport
import Testing

private let path = "/unsafe/rs:fit:60:60/\(examplePath)"

private func ask(_ service: ImageService, _ target: String = path, _ accept: String? = nil) async throws
    -> ServiceResponse
{
    try await service.response(to: ServiceRequest(target: target, accept: accept))
}

private func picture(_ width: Int = 120) throws -> Data {
    try JPEGEncoder(quality: 90).encode(TestImages.photograph(PixelSize(width: width, height: 90)))
}

@Suite(.blocking) struct DeliveryTests {
    @Test func `If-Modified-Since gets a 304, and an entity tag takes precedence`() async throws {
        let service = try ServiceBench().service()
        let first = try await ask(service)
        var request = ServiceRequest(target: path)
        request.ifModifiedSince = first["Last-Modified"]
        #expect(request.ifModifiedSince != nil)
        #expect(try await service.response(to: request).status == 304)
        request.ifModifiedSince = "Thu, 01 Jan 1970 00:00:00 GMT"
        #expect(try await service.response(to: request).status == 200)
        request.ifModifiedSince = first["Last-Modified"]
        request.ifNoneMatch = "\"other\""
        #expect(try await service.response(to: request).status == 200)
    }

    @Test func `Server-Timing has each step of a rendered image, and the total for a cached one`()
        async throws
    {
        let service = try ServiceBench().service()
        let made = try #require(try await ask(service)["Server-Timing"])
        let names = made.split(separator: ",").map { $0.trimmingPrefix(" ").prefix { $0 != ";" } }
        #expect(names == ["queue", "fetch", "decode", "transform", "encode", "total"])
        let kept = try #require(try await ask(service)["Server-Timing"])
        #expect(kept.hasPrefix("total;dur="))
    }

    @Test func `a timed-out request gets Retry-After`() async throws {
        let bench = try ServiceBench { request, _ in
            FetchResponse(
                origin: .network,
                url: request.url,
                status: 200,
                headers: [],
                expectedByteCount: nil,
                body: PacedBody().body
            )
        }
        let service = bench.service { $0.timeout = .milliseconds(20) }
        for target in [path, "/unsafe/skp:webp/w:9/\(examplePath)", "/info/unsafe/\(examplePath)"] {
            let answer = try await ask(service, target)
            #expect(answer.status == 503 && answer["Retry-After"] == "1")
        }
        await service.pipeline.untilIdle()
    }

    @Test func `the sequential steps of a response share one deadline`() async throws {
        let asked = SharedState<[Duration]>([])
        let bench = try ServiceBench()
        let cache = ImageCache(stores: [bench.store], codecs: .publicWeb)
        var pipeline = ImagePipeline.Configuration(cache: cache, loader: bench.loader)
        pipeline.interceptors = [TimeoutRecorder(timeouts: asked)]
        let whole = ImageService.Configuration.patient.timeout
        let service = ImageService(pipeline: ImageService.pipeline(pipeline), configuration: .patient)
        let answer = try await ask(service, "/unsafe/skp:webp/w:9/\(examplePath)")
        #expect(answer.status == 200 && asked.value.count == 2)
        #expect(asked.value[0] <= whole && asked.value[1] < asked.value[0])
        // A description also has the remaining time, not the full time for each step.
        #expect(try await ask(service, "/info/unsafe/\(examplePath)").status == 200)
        #expect(asked.value.count == 3 && asked.value[2] < whole)
    }

    @Test func `a response is no fresher than its origin allows, if so configured`() async throws {
        let bench = try ServiceBench()
        let service = bench.service { $0.caching.followsOrigin = true }
        _ = try await ask(service)
        bench.time.advance(by: .seconds(100))
        let later = try await ask(service)
        #expect(later["Cache-Control"] == "public, max-age=600" && later["Age"] == "100")
    }

    @Test(arguments: [
        ("max-age=600, private", "private, max-age=600, stale-while-revalidate=5"),
        ("max-age=600, no-cache", "no-cache"), ("private, max-age=0", "private, no-cache"),
        ("max-age=600, must-revalidate", "public, max-age=600, must-revalidate"),
        ("max-age=600, must-revalidate, private", "private, max-age=600, must-revalidate"),
    ])
    func `the cache directives of an origin are forwarded, if so configured`(told: String, field: String)
        async throws
    {
        let data = try picture()
        let bench = try ServiceBench { request, _ in
            .network(request.url, data, ["Cache-Control": told])
        }
        let service = bench.service {
            $0.caching.followsOrigin = true
            $0.caching.staleWhileRevalidate = .seconds(5)
        }
        #expect(try await ask(service)["Cache-Control"] == field)
        let own = bench.service { _ in }
        #expect(try await ask(own)["Cache-Control"] == "public, max-age=31536000")
    }

    @Test func `names that look alike in other Unicode forms are two images`() async throws {
        let data = [try picture(120), try picture(121)]
        let bench = try ServiceBench { request, _ in
            .network(request.url, data[request.url.path().contains("%C3%A9") ? 0 : 1])
        }
        let service = bench.service()
        let (one, two) = (
            "/unsafe/raw:1/plain/http://src.test/\u{E9}", "/unsafe/raw:1/plain/http://src.test/e\u{301}"
        )
        #expect(try await ask(service, one).body == data[0])
        #expect(try await ask(service, two).body == data[1])
    }

    @Test func `a no-store response of an origin is not cached anywhere`() async throws {
        let data = try picture()
        let bench = try ServiceBench { request, _ in
            .network(request.url, data, ["Cache-Control": "no-store"])
        }
        let service = bench.service()
        for _ in 1...2 {
            let answer = try await ask(service)
            #expect(answer["Cache-Control"] == "no-store" && answer["X-Cache"] == "miss")
        }
        #expect(bench.loader.requests.count == 2)
    }

    @Test func `a stale image is served during revalidation, and if the origin fails`() async throws {
        let data = try picture()
        var bench = try ServiceBench { request, index in
            guard index == 0 else { throw FetchError(.connectionFailed, detail: "down") }
            return .network(request.url, data, ["Cache-Control": "max-age=60"])
        }
        bench.staleAllowance = StaleAllowance(whileRevalidating: .seconds(30), ifError: .seconds(3_600))
        let service = bench.service()
        let fresh = try await ask(service)
        await service.pipeline.untilIdle()
        bench.time.advance(by: .seconds(80))
        let meanwhile = try await ask(service)
        #expect(meanwhile.status == 200 && meanwhile.body == fresh.body)
        #expect(meanwhile["X-Cache"] == "stale" && meanwhile["Cache-Control"] == "public, max-age=60")
        await service.pipeline.untilIdle()
        bench.time.advance(by: .seconds(80))
        let without = try await ask(service, "/unsafe/w:30/\(examplePath)")
        #expect(without.status == 200 && without["X-Cache"] == "stale")
        await service.pipeline.untilIdle()
        bench.time.advance(by: .seconds(7_200))
        #expect(try await ask(service, "/unsafe/w:31/\(examplePath)").status == 502)
    }

    @Test func `AVIF is encoded behind a WebP response, and served afterwards`() async throws {
        let service = try ServiceBench().service()
        let accept = "image/avif,image/webp,*/*;q=0.8"
        let first = try await ask(service, path, accept)
        #expect(first["Content-Type"] == "image/webp" && first["Vary"] == "Accept")
        #expect(first["Cache-Control"] == "public, max-age=60")
        var second = try await ask(service, path, accept)
        // It is encoded after the response, by a task that cannot be awaited.
        while second["Content-Type"] != "image/avif" {
            await Task.yield()
            second = try await ask(service, path, accept)
        }
        #expect(second["Cache-Control"] == "public, max-age=31536000")
        let only = try await ask(service, "/unsafe/w:20/\(examplePath)", "image/avif")
        #expect(only["Content-Type"] == "image/avif")
    }

    @Test func `a fallback image is rendered as the URL requests`() async throws {
        let bench = try ServiceBench { request, _ in
            if request.url.scheme == "data" { return try await DataURLLoader().response(for: request) }
            throw FetchError(.unacceptableStatus, status: 404, detail: "")
        }
        let fallback = try picture(300)
        for status in [200, nil] {
            let service = bench.service { $0.fallback = FallbackImage(data: fallback, status: status) }
            let answer = try await ask(service)
            #expect(answer.status == status ?? 404 && answer["Cache-Control"] == "no-store")
            let info = try CodecRegistry.publicWeb.info(of: answer.body, limits: DecodeLimits())
            #expect(info.size == PixelSize(width: 60, height: 18))
            #expect(try await ask(service, "/unsafe/foo:1/\(examplePath)").status == 404)
        }
    }

    @Test func `each response is recorded once, with its status, source and tier`() async throws {
        let records = SharedState<[ServiceRecord]>([])
        struct Recorder: ServiceObserver {
            let records: SharedState<[ServiceRecord]>
            func didRespond(_ record: ServiceRecord) { records.withLock { $0.append(record) } }
        }
        let service = try ServiceBench().service { $0.observer = Recorder(records: records) }
        var request = ServiceRequest(target: "/unsafe/w:9/plain/http://src.test/photo.jpg%3Ftoken=secret")
        request.requestID = "r-1"
        _ = try await service.response(to: request)
        _ = try await service.response(to: request)
        _ = try await ask(service, "/unsafe/foo:1/\(examplePath)")
        #expect(records.value.map(\.status) == [200, 200, 404])
        #expect(records.value.map(\.cache) == [.miss, .memory, nil])
        #expect(records.value[0].source == "http://src.test/photo.jpg" && records.value[0].requestID == "r-1")
        #expect(records.value.map(\.method) == ["GET", "GET", "GET"])
        #expect(records.value[0].path == "/unsafe/w:9/plain/http://src.test/photo.jpg")
        #expect(records.value[2].path == "/unsafe/foo:1/\(examplePath)")
        #expect(records.value[2].errorCode == "unknownOption" && records.value[0].byteCount > 0)
    }

    @Test func `an expired URL is refused, even if it was parsed before`() async throws {
        let bench = try ServiceBench()
        let service = bench.service()
        let end = bench.time.now().nanosecondsSince1970 / 1_000_000_000 + 50
        let target = "/unsafe/exp:\(end)/\(examplePath)"
        #expect(try await ask(service, target).status == 200)
        bench.time.advance(by: .seconds(60))
        #expect(try await ask(service, target).status == 404)
    }
}

private struct TimeoutRecorder: RequestInterceptor {
    let timeouts: SharedState<[Duration]>

    func load(_ request: ImageRequest, next: InterceptedLoad) async throws -> LoadedImage {
        try await next.load(request)
    }

    func data(for request: ImageRequest, next: InterceptedLoad) async throws -> EncodedImage {
        timeouts.withLock { $0.append(request.timeout ?? .zero) }
        return try await next.data(for: request)
    }
}
