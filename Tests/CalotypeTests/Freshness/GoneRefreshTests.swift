import CalotypeTesting
import FoundationEssentials
import PipelineSupport
import TestSupport
import Testing

@testable import Calotype

/// A refresh that finds its source gone, in a program that has just been started.
@Suite(.gated) struct GoneRefreshTests {
    @Test(arguments: [404, 410])
    func `a refresh that finds its source gone is not undone by the stored entry`(status: Int) async throws {
        let store = FakeByteStore()
        func bench(_ answer: @escaping ScriptedDataLoader.Script) -> PipelineBench {
            PipelineBench(
                {
                    let memory = ImageCache.Memory(pressureSource: nil)
                    $0.cache = ImageCache(memory: memory, stores: [store], codecs: $0.cache.codecs)
                },
                answer: answer
            )
        }
        let earlier = bench { request, _ in
            let data = FakeImageDecoder.data(width: 40, height: 30)
            return .network(request.url, data, ["Cache-Control": "max-age=100000"])
        }
        _ = try await earlier.pipeline.load(earlier.request { $0.httpCaching = .respectsHTTP })
        let later = bench { _, _ in
            throw FetchError(.unacceptableStatus, status: status, detail: "taken down")
        }
        let refresh = later.request { ($0.httpCaching, $0.cachePolicy) = (.respectsHTTP, .refresh) }
        await #expect(throws: LoadError.self) { try await later.pipeline.load(refresh) }
        let plain = later.request { $0.httpCaching = .respectsHTTP }
        await #expect(throws: LoadError.self) { try await later.pipeline.load(plain) }
    }
}
