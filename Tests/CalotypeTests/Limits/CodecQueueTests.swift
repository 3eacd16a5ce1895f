import CalotypeTesting
import FoundationEssentials
import PipelineSupport
import TestMaterial
import TestSupport
import Testing

@testable import Calotype

@Suite(.gated) struct CodecQueueTests {
    /// A decoder that records the widths it decodes and blocks in its first decode.
    private struct NotingDecoder: ForwardingDecoder {
        let base = FakeImageDecoder()
        let widths = SharedState<[Int]>([])
        let reached = AsyncGate()
        let gate = BlockingGate()

        func decode(_ data: Data, options: DecodeOptions) throws(DecodeError) -> Image {
            let image = try base.decode(data, options: options)
            widths.withLock { $0.append(image.size.width) }
            reached.open()
            gate.wait()
            return image
        }
    }

    private let decoder = NotingDecoder()
    private let pipeline: ImagePipeline

    init() {
        var codecs = CodecRegistry()
        codecs.register(decoder)
        let cache = ImageCache(stores: [], codecs: codecs, maxDecodeConcurrency: 1)
        let loader = ScriptedDataLoader { request, number in
            .network(request.url, FakeImageDecoder.data(width: number + 1, height: 3))
        }
        pipeline = ImagePipeline(ImagePipeline.Configuration(cache: cache, loader: loader))
    }

    /// Loads that wait for the decoder in this order; the first one is in it.
    private func loads(_ priorities: [LivePriority]) async throws -> [Task<Image, any Error>] {
        var tasks: [Task<Image, any Error>] = []
        for (number, priority) in priorities.enumerated() {
            var request = ImageRequest(url: try #require(URL(string: "https://example.org/\(number).fake")))
            request.decoding.limits.maxDuration = .seconds(86_400)
            tasks.append(
                Task { [pipeline, request] in try await pipeline.image(for: request, priority: priority) }
            )
            if number == 0 { await decoder.reached.wait() }
            while pipeline.stages.limits.waitingCodecCount < number { await Task.yield() }
        }
        return tasks
    }

    // A grid that is scrolled: visible images waited for all that had scrolled past.
    @Test func `a decode cancelled while it waits never starts`() async throws {
        let tasks = try await loads((0..<20).map { LivePriority($0 == 19 ? .highest : .lowest) })
        for task in tasks.dropLast() { task.cancel() }
        for task in tasks.dropLast() {
            await #expect(throws: CancellationError.self) { try await task.value }
        }
        decoder.gate.open()
        _ = try await tasks[19].value
        #expect(decoder.widths.value == [1, 20])
    }

    @Test func `the most urgent decode runs first, also if its priority rises while it waits`() async throws {
        let priorities = [.normal, .low, .normal, .high, .lowest].map { LivePriority($0) }
        let tasks = try await loads(priorities)
        priorities[4].value = .highest
        decoder.gate.open()
        for task in tasks { _ = try await task.value }
        #expect(decoder.widths.value == [1, 5, 4, 3, 2])
    }
}
