import Calotype
import CalotypeServer
import CalotypeTesting
import FoundationEssentials
import PipelineSupport
import TestSupport
import Testing

@Suite(.blocking) struct PurgeTests {
    private func ask(_ service: ImageService, _ target: String) async throws -> ServiceResponse {
        try await service.response(to: ServiceRequest(target: target))
    }

    private func filled(_ bench: ServiceBench) async throws -> ImageService {
        let service = bench.service()
        for target in [
            "/unsafe/w:9/plain/http://src.test/a/1.jpg", "/unsafe/w:8/plain/http://src.test/a/1.jpg",
            "/unsafe/w:9/plain/http://src.test/a/2.jpg", "/unsafe/w:9/plain/http://src.test/b/3.jpg",
        ] {
            #expect(try await ask(service, target).status == 200)
        }
        await service.pipeline.untilIdle()
        return service
    }

    @Test func `purging a source removes the original with all its results, and nothing else`() async throws {
        let bench = try ServiceBench()
        let service = try await filled(bench)
        // Another spelling of the same source.
        let report = try await service.purge(.source("HTTP://SRC.test:80/a/1.jpg"))
        #expect(report == PurgeReport(originals: 1, results: 2))
        #expect(try await service.purge(.source("http://src.test/a/1.jpg")) == PurgeReport())
        #expect(try await ask(service, "/unsafe/w:9/plain/http://src.test/a/1.jpg")["X-Cache"] == "miss")
        #expect(try await ask(service, "/unsafe/w:9/plain/http://src.test/a/2.jpg")["X-Cache"] == "memory")
        #expect(bench.loader.requests.count == 4)
    }

    @Test func `purging a prefix removes a folder, and purging all the rest`() async throws {
        let service = try await filled(try ServiceBench())
        let prefix = try await service.purge(.prefix("http://src.test/a/"))
        #expect(prefix == PurgeReport(originals: 2, results: 3))
        #expect(try await service.purge(.all) == PurgeReport(originals: 1, results: 1))
        #expect(try await service.purge(.all) == PurgeReport())
    }

    @Test(arguments: [
        ("HTTP://SRC.test:80/ä b", 2), ("http://src.test/%C3%A4%20b/", 2), ("http://src.test./ä b/1", 1),
        ("http://src.test:80", 2), ("HTTP://Src.t", 2), ("HTTP://", 2), ("htt", 2), ("http://src.test:8", 0),
        ("https://src.test/", 0), ("http://src.test/b", 0),
    ])
    func `a prefix may be spelled like a URL`(prefix: String, count: Int) async throws {
        let service = try ServiceBench().service()
        for number in 1...2 {
            let target = "/unsafe/w:9/plain/http://src.test/%C3%A4%20b/\(number).jpg"
            #expect(try await ask(service, target).status == 200)
        }
        await service.pipeline.untilIdle()
        let report = try await service.purge(.prefix(prefix))
        #expect(report == PurgeReport(originals: count, results: count))
    }

    @Test func `an image purged while it is encoded is not cached`() async throws {
        let (isLoading, mayGoOn) = (AsyncGate(), AsyncGate())
        let picture = TestImages.photograph(PixelSize(width: 120, height: 90))
        let data = try JPEGEncoder(quality: 90).encode(picture)
        let bench = try ServiceBench { request, index in
            if index == 0 {
                isLoading.open()
                await mayGoOn.wait()
            }
            return .network(request.url, data, ["Cache-Control": "max-age=600"])
        }
        let service = bench.service()
        let target = "/unsafe/w:9/\(examplePath)"
        let early = Task { try await ask(service, target) }
        await isLoading.wait()
        _ = try await service.purge(.source("http://src.test/photo.jpg"))
        mayGoOn.open()
        #expect(try await early.value.status == 200)
        await service.pipeline.untilIdle()
        #expect(try await ask(service, target)["X-Cache"] == "miss")
        #expect(bench.loader.requests.count == 2)
    }

    @Test func `purging an invalid source is refused`() async throws {
        let service = try ServiceBench().service()
        await #expect(throws: RequestError.self) { try await service.purge(.source("photo.jpg")) }
        for prefix in ["http://a.test/x/../y", "http://user@a.test/", "ftp://a.test/"] {
            await #expect(throws: RequestError.self) { try await service.purge(.prefix(prefix)) }
        }
    }
}
