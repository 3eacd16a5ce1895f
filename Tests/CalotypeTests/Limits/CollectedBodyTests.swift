import CalotypeLoading
import CalotypeTesting
import FoundationEssentials
import PipelineSupport
import TestSupport
import Testing

@testable import Calotype

/// Bodies that middleware collects before it passes them on.
@Suite(.gated) struct CollectedBodyTests {
    @Test func `a body that is collected counts in the byte budget`() async throws {
        let picture = FakeImageDecoder.data(width: 4, height: 3) + Data(count: 3 << 20)
        let heldByteCount = SharedState(0)
        let limits = SharedState<StageLimits?>(nil)
        let base = ScriptedDataLoader { request, _ in .network(request.url, picture) }
        let transform = BodyTransform { data in
            heldByteCount.withLock { $0 = limits.value?.fetching.heldByteCount ?? 0 }
            return data
        }
        let loader = MiddlewareLoader(base, [transform])
        let pipeline = ImagePipeline(AdmissionBench.configuration(FakeImageDecoder(), loader))
        limits.withLock { $0 = pipeline.stages.limits }
        _ = try await pipeline.image(for: AdmissionBench.request("sealed.test"))
        #expect(heldByteCount.value >= picture.count)
    }
}
