import Calotype
import CalotypeTesting
import FoundationEssentials
import PipelineSupport
import TestSupport
import Testing

@testable import CalotypeServer

/// A store that does not answer whether it has an AVIF.
@Suite(.waiting) struct InterimTimeoutTests {
    /// A store in memory whose queries for the existence of entries hang.
    private struct HungStore: ForwardingByteStore {
        let base = FakeByteStore()
        let gate: AsyncGate

        func contains(_ key: String) async throws -> Bool {
            await Task { await gate.wait() }.value
            return try await base.contains(key)
        }
    }

    @Test func `the search for a cached AVIF ends with the time of the response`() async throws {
        let picture = try JPEGEncoder().encode(TestImages.photograph(PixelSize(width: 120, height: 90)))
        let (gate, loader) = (
            AsyncGate(), ScriptedDataLoader { request, _ in .network(request.url, picture) }
        )
        let cache = ImageCache(
            memory: ImageCache.Memory(pressureSource: nil),
            stores: [HungStore(gate: gate)],
            codecs: .publicWeb
        )
        var pipeline = ImagePipeline.Configuration(cache: cache, loader: loader)
        pipeline.storeTimeout = .seconds(20)
        var configuration = ImageService.Configuration()
        configuration.timeout = .milliseconds(500)
        let service = ImageService(
            pipeline: ImageService.pipeline(pipeline),
            configuration: configuration
        )
        let start = ContinuousClock.now
        let request = ServiceRequest(
            target: "/unsafe/w:20/\(examplePath)",
            accept: "image/avif,image/webp,*/*;q=0.8"
        )
        _ = try await service.response(to: request)
        #expect(ContinuousClock.now - start < .seconds(10))
        gate.open()
    }
}
