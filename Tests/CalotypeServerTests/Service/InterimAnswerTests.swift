import Calotype
import CalotypeServer
import CalotypeTesting
import FoundationEssentials
import PipelineSupport
import TestSupport
import Testing

/// Responses to clients that accept AVIF, which is encoded after an interim response.
@Suite(.blocking) struct InterimAnswerTests {
    private static let modern = "image/avif,image/webp,*/*;q=0.8"

    private func ask(
        _ service: ImageService,
        _ accept: String = modern,
        _ target: String = "/unsafe/w:20/\(examplePath)"
    ) async throws -> ServiceResponse {
        try await service.response(to: ServiceRequest(target: target, accept: accept))
    }

    @Test(arguments: [
        ("*/*", "image/jpeg"), ("image/webp,*/*;q=0.8", "image/webp"), (modern, "image/webp"),
    ])
    func `a store that fails fails no response, whatever the client accepts`(accept: String, type: String)
        async throws
    {
        let bench = try ServiceBench()
        let service = bench.service()
        bench.store.fail(with: DiskCacheError(.closed, detail: "any error"))
        let answer = try await ask(service, accept)
        #expect(answer.status == 200 && answer["Content-Type"] == type)
        await service.pipeline.untilIdle()
    }

    private func picture() throws -> Data {
        try JPEGEncoder(quality: 90).encode(TestImages.photograph(PixelSize(width: 120, height: 90)))
    }

    @Test func `a hanging origin does not keep AVIF from clients of others`() async throws {
        let (gate, picture) = (AsyncGate(), try picture())
        let bench = try ServiceBench { request, _ in
            if request.url.host() == "hang.test" { await gate.wait() }
            return .network(request.url, picture, ["Cache-Control": "max-age=600"])
        }
        let service = bench.service(waiting: 100)
        let hanging = (0..<32).map { number in
            Task { try await ask(service, Self.modern, "/unsafe/w:20/plain/http://hang.test/\(number).jpg") }
        }
        while bench.loader.requests.count < 32 { await Task.yield() }
        // It is encoded after the response, by a task that cannot be awaited.
        while try await ask(service)["Content-Type"] != "image/avif" { await Task.yield() }
        gate.open()
        for task in hanging { #expect(try await task.value.status == 200) }
        await service.pipeline.untilIdle()
    }

    @Test func `an original that must not be stored is fetched once for an interim response`() async throws {
        let picture = try picture()
        let bench = try ServiceBench { request, _ in
            .network(request.url, picture, ["Cache-Control": "no-store"])
        }
        let service = bench.service()
        let answer = try await ask(service)
        #expect(answer["Content-Type"] == "image/webp" && answer["Cache-Control"] == "no-store")
        await service.pipeline.untilIdle()
        #expect(bench.loader.requests.count == 1)
    }
}
