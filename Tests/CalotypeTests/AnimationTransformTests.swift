import CalotypeTesting
import FoundationEssentials
import PipelineSupport
import TestSupport
import Testing

@testable import Calotype

@Suite(.blocking) struct AnimationTransformTests {
    private func bench(frameCount: Int) -> PipelineBench {
        PipelineBench { request, _ in
            .network(request.url, FakeImageDecoder.data(width: 40, height: 30, frameCount: frameCount))
        }
    }

    private let chain = TransformChain.resize(toFit: PixelSize(width: 20, height: 20))

    @Test func `a chain transforms every frame of an animation unless it is for stills only`() async throws {
        let bench = bench(frameCount: 3)
        let stillsOnly = bench.request { $0.transforms = chain.exceptAnimations }
        let all = try await bench.pipeline.image(for: bench.request { $0.transforms = chain })
        #expect(all.width == 20 && all.animation?.frameCount == 3)
        let spared = try await bench.pipeline.image(for: stillsOnly)
        #expect(spared.width == 40 && spared.animation?.frameCount == 3, "another entry, as the file is")
        #expect(try await spared.animation?.frame(at: 1).width == 40)
    }

    @Test func `a chain for stills transforms a still and a first frame decoded alone`() async throws {
        let still = bench(frameCount: 1)
        let request = still.request { $0.transforms = chain.exceptAnimations }
        #expect(try await still.pipeline.image(for: request).width == 20)
        let animated = bench(frameCount: 3)
        let first = try await animated.pipeline.image(
            for: animated.request {
                $0.transforms = chain.exceptAnimations
                $0.decoding.frames = .first
            }
        )
        #expect(first.width == 20 && first.animation == nil)
    }
}
