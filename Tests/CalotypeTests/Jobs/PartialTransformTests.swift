import CalotypeTesting
import FoundationEssentials
import PipelineSupport
import TestSupport
import Testing

@testable import Calotype

/// Stored partial bodies behind middleware that rejects requests for a part.
@Suite(.gated) struct PartialTransformTests {
    @Test func `a partial body does not keep a body from being transformed`() async throws {
        let picture = FakeImageDecoder.data(width: 40, height: 30) + Data(count: 60_000)
        let head = ["ETag": "\"a\"", "Content-Length": "\(picture.count)"]
        let partials = FakeByteStore(name: "partial")
        // An earlier version of the program, without the transform.
        let first = PipelineBench {
            $0.partialStore = partials
        } answer: { request, _ in
            var response = FetchResponse.network(request.url, picture, head)
            let lost = FetchError(.connectionLost, detail: "lost")
            response.body = FetchBody([picture.prefix(40_000)], then: lost)
            return response
        }
        await #expect(throws: LoadError.self) { try await first.pipeline.load(first.request()) }
        #expect(partials.keys == [PipelineBench.url.absoluteString])
        let second = PipelineBench {
            $0.partialStore = partials
            $0.loader = MiddlewareLoader($0.loader, [BodyTransform { $0 }])
        } answer: { request, _ in
            .network(request.url, picture, head)
        }
        for _ in 0..<2 {
            #expect(try await second.pipeline.data(for: second.request()).data == picture)
        }
    }
}
