import Calotype
import CalotypeServer
import CalotypeTesting
import FoundationEssentials
import PipelineSupport
import ServiceSupport
import TestTraits
import Testing

/// Responses to clients that accept AVIF, which is encoded after an interim response.
@Suite(.blocking, .timeLimit(.minutes(20))) struct InterimAnswerTests {
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
}
