import CalotypeCore
import CalotypeSupport
import CalotypeTesting
import FoundationEssentials
import TestSupport
import Testing

/// Frames without remaining waiters, or that exceed their time.
///
/// All animations share their threads, so a test that holds one delays the others.
@Suite(.blocking, .serialized) struct AnimationStopTests {
    /// Frames whose decoder waits at one of them.
    private struct HeldSource: FrameSource {
        let base = FakeFrameSource(frameCount: 200)
        let heldIndex: Int
        let reached = AsyncGate()
        let release = BlockingGate()
        var maxDecodeDuration = Duration.seconds(86_400)

        var frameCount: Int { base.frameCount }
        var loopCount: LoopCount { base.loopCount }
        var retainedByteCount: Int { 0 }
        func duration(ofFrameAt index: Int) -> Duration { base.duration(ofFrameAt: index) }
        func makeDecoder() throws -> any AnimationDecoder {
            HeldDecoder(source: self, base: try base.makeDecoder())
        }
    }

    private final class HeldDecoder: AnimationDecoder {
        let source: HeldSource
        let base: any AnimationDecoder

        init(source: HeldSource, base: any AnimationDecoder) {
            (self.source, self.base) = (source, base)
        }

        var nextIndex: Int { base.nextIndex }

        func nextFrame() throws -> Image {
            if nextIndex == source.heldIndex {
                source.reached.open()
                source.release.wait()
            }
            return try base.nextFrame()
        }

        func seek(toward index: Int) throws { try base.seek(toward: index) }
    }

    private let budget = FrameBudget(maxByteCount: 1 << 20)

    @Test func `cancelling a far seek returns at once, and the seek stops at its current frame`()
        async throws
    {
        let source = HeldSource(heldIndex: 3)
        let animation = Animation(source: source, budget: budget)
        let task = Task { try await animation.frame(at: 150) }
        await source.reached.wait()
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        source.release.open()
        #expect(try await animation.frame(at: 5).rgba8()[0] == 5)
        // Continued from its last position.
        #expect(source.base.decodedIndices == Array(0...5))
    }

    @Test func `a frame that exceeds its time limit releases its waiters`() async throws {
        let source = HeldSource(heldIndex: 1, maxDecodeDuration: .milliseconds(1))
        let animation = Animation(source: source, budget: budget)
        let error = await #expect(throws: DecodeError.self) { try await animation.frame(at: 1) }
        #expect(error?.code == .timedOut)
        source.release.open()
    }

    @Test func `a frame with a time limit of zero is not decoded on any thread`() async throws {
        let source = HeldSource(heldIndex: -1, maxDecodeDuration: .zero)
        let animation = Animation(source: source, budget: budget)
        for decode in [{ try await animation.frame(at: 1) }, { try animation.decodeFrame(at: 1) }] {
            let error = await #expect(throws: DecodeError.self) { try await decode() }
            #expect(error?.code == .timedOut)
        }
        #expect(source.base.decodedIndices == [])
    }

    @Test func `preloading ends with its task and then holds no memory`() async throws {
        let source = HeldSource(heldIndex: 2)
        let animation = Animation(source: source, budget: budget)
        let task = Task { try await animation.preloadAllFrames() }
        await source.reached.wait()
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(!animation.areAllFramesLoaded)
        source.release.open()
        try await animation.preloadAllFrames()
        #expect(animation.areAllFramesLoaded)
    }

    @Test func `mapped frames have the time limit of their source`() {
        let source = HeldSource(heldIndex: -1, maxDecodeDuration: .zero)
        let first = source.base.image(at: 0)
        let mapped = Animation(source: source, budget: budget).mapping(firstFrame: first) { $0 }
        #expect(throws: DecodeError.self) { try mapped.decodeFrame(at: 1) }
    }
}
