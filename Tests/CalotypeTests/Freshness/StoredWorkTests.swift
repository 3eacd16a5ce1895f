import CalotypeTesting
import FoundationEssentials
import PipelineSupport
import TestSupport
import Testing

@testable import Calotype

/// Work on stored bytes that began during a load, which then brought newer content.
@Suite(.blocking) struct StoredWorkTests {
    @Test func `a call does not join work on stored bytes once newer content has come`() async throws {
        let (reached, gate) = (AsyncGate(), AsyncGate())
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
            if number == 1 {
                reached.open()
                await gate.wait()
            }
            let data = FakeImageDecoder.data(width: number == 0 ? 40 : 80, height: 30)
            return .network(request.url, data, ["Cache-Control": "max-age=100000"])
        }
        let plain = bench.request { $0.httpCaching = .respectsHTTP }
        #expect(try await bench.pipeline.load(plain).image.size.width == 40)
        let reload = bench.request {
            $0.httpCaching = .respectsHTTP
            $0.headers = [HeaderField("Cache-Control", "no-cache")]
        }
        let reloading = Task { try await bench.pipeline.load(reload) }
        await reached.wait()
        let transform = HeldTransform()
        let transformed = bench.request {
            $0.httpCaching = .respectsHTTP
            $0.transforms = TransformChain(transform)
        }
        let before = Task { try await bench.pipeline.load(transformed) }
        await transform.reached.wait()
        gate.open()
        #expect(try await reloading.value.image.size.width == 80)
        let hasEnded = SharedState(false)
        let after = Task {
            defer { hasEnded.withLock { $0 = true } }
            return try await bench.pipeline.load(transformed)
        }
        _ = await AdmissionBench.eventually {
            bench.pipeline.loads.variants.waiterCount == 2 || hasEnded.value
        }
        transform.released.open()
        _ = try await before.value
        #expect(try await after.value.image.size.width == 80)
    }
}

/// Changes nothing, and holds the first image until it is released.
private struct HeldTransform: ImageTransform {
    let reached = AsyncGate()
    let released = BlockingGate()
    private let isFirst = SharedState(true)

    var cacheIdentity: String { "held-1()" }

    func apply(to image: Image) throws -> Image {
        let holds = isFirst.withLock { isFirst in
            defer { isFirst = false }
            return isFirst
        }
        if holds {
            reached.open()
            released.wait()
        }
        return image
    }

    static func == (left: HeldTransform, right: HeldTransform) -> Bool { true }

    func hash(into hasher: inout Hasher) {}
}
