import CalotypeTesting
import FoundationEssentials
import PipelineSupport
import TestSupport
import Testing

@testable import Calotype

/// Calls after a refresh, for results whose encoding began before it.
@Suite(.blocking) struct RefreshSharingTests {
    @Test func `a call after a refresh does not join the encoding of older content`() async throws {
        let bench = PipelineBench {
            var codecs = CodecRegistry.standard
            codecs.register(FakeImageDecoder())
            $0.cache = ImageCache(
                memory: ImageCache.Memory(pressureSource: nil),
                stores: [FakeByteStore()],
                codecs: codecs,
                maxDecodeConcurrency: 2
            )
        } answer: { request, number in
            .network(request.url, FakeImageDecoder.data(width: number == 0 ? 40 : 80, height: 30))
        }
        let encoder = HeldEncoder()
        // HTTP is ignored.
        let request = bench.request {
            $0.encoding = ImageEncoding(encoder)
            $0.waitsForStore = false
        }
        let before = Task { try await bench.pipeline.data(for: request) }
        await encoder.reached.wait()
        await bench.pipeline.loads.originals.untilIdle()
        let refresh = bench.request { $0.cachePolicy = .refresh }
        #expect(try await bench.pipeline.load(refresh).image.size.width == 80)
        let hasEnded = SharedState(false)
        let after = Task {
            defer { hasEnded.withLock { $0 = true } }
            return try await bench.pipeline.data(for: request)
        }
        _ = await AdmissionBench.eventually {
            bench.pipeline.loads.encodedVariants.waiterCount == 2 || hasEnded.value
        }
        encoder.released.open()
        _ = try await before.value
        #expect(try await after.value.info.size.width == 80)
    }
}

/// Writes PNG, and holds the first image until it is released.
private struct HeldEncoder: ImageEncoder {
    let reached = AsyncGate()
    let released = BlockingGate()
    private let isFirst = SharedState(true)

    var format: ImageFormat { .png }
    var cacheIdentity: String { "held" }

    func encode(_ image: Image) throws(EncodeError) -> Data {
        let holds = isFirst.withLock { isFirst in
            defer { isFirst = false }
            return isFirst
        }
        if holds {
            reached.open()
            released.wait()
        }
        return try PNGEncoder().encode(image)
    }

    static func == (left: HeldEncoder, right: HeldEncoder) -> Bool { true }

    func hash(into hasher: inout Hasher) {}
}
