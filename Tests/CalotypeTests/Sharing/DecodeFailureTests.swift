import CalotypeTesting
import FoundationEssentials
import PipelineSupport
import TestSupport
import Testing

@testable import Calotype
@testable import CalotypeLoading

/// Decodes that took too much memory, and the decodes that are tried after them.
@Suite(.gated) struct DecodeFailureTests {
    private static func greedy(_ decoder: GreedyDecoder, _ gate: AsyncGate? = nil) -> ImagePipeline {
        let loader = ScriptedDataLoader { request, _ in
            await gate?.wait()
            return .network(request.url, FakeImageDecoder.data(width: 40, height: 30))
        }
        return ImagePipeline(AdmissionBench.configuration(decoder, stores: [FakeByteStore()], loader))
    }

    @Test func `an image with an encoding that takes too much memory leaves a smaller one`() async throws {
        let decoder = GreedyDecoder(maxWidth: 10)
        let pipeline = Self.greedy(decoder)
        var request = try AdmissionBench.request("large.test", width: 30)
        request.encoding = .png
        await #expect(throws: LoadError.self) { try await pipeline.image(for: request) }
        #expect(decoder.decodeCount.value == 1)
        request.decoding.target = .fit(width: 10)
        #expect(try await pipeline.image(for: request).size.width == 10)
    }

    @Test func `two encodings of one size count as one size`() async throws {
        let decoder = GreedyDecoder(maxWidth: 10)
        let pipeline = Self.greedy(decoder)
        var request = try AdmissionBench.request("large.test", width: 30)
        request.encoding = .png
        await #expect(throws: LoadError.self) { try await pipeline.data(for: request) }
        request.encoding = .jpeg()
        await #expect(throws: LoadError.self) { try await pipeline.data(for: request) }
        #expect(decoder.decodeCount.value == 1)
        request.decoding.target = .fit(width: 10)
        #expect(try await pipeline.data(for: request).info.size.width == 10)
    }

    @Test func `two encodings that share one decode count as one size`() async throws {
        let (decoder, gate) = (GreedyDecoder(maxWidth: 10), AsyncGate())
        let pipeline = Self.greedy(decoder, gate)
        let tasks = try [ImageEncoding.png, .jpeg()].map { encoding in
            var request = try AdmissionBench.request("large.test", width: 30)
            request.encoding = encoding
            return Task { [request] in try await pipeline.data(for: request) }
        }
        while pipeline.loads.originals.waiterCount < 2 { await Task.yield() }
        gate.open()
        for task in tasks { await #expect(throws: LoadError.self) { try await task.value } }
        #expect(decoder.decodeCount.value == 1)
        var small = try AdmissionBench.request("large.test", width: 10)
        small.encoding = .png
        #expect(try await pipeline.data(for: small).info.size.width == 10)
    }

    @Test func `a removal forgets decodes that failed`() async throws {
        let decoder = GreedyDecoder(maxWidth: 10)
        let pipeline = Self.greedy(decoder)
        for width in [30, 20] {
            await #expect(throws: LoadError.self) {
                try await pipeline.image(for: try AdmissionBench.request("large.test", width: width))
            }
        }
        try await pipeline.remove(AdmissionBench.request("large.test"))
        #expect(
            try await pipeline.image(for: AdmissionBench.request("large.test", width: 10)).size.width == 10
        )
    }
}
