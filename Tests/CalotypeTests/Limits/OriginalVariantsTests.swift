import CalotypeTesting
import FoundationEssentials
import PipelineSupport
import TestSupport
import Testing

@testable import Calotype

/// Several variants of the original of a request.
@Suite(.gated) struct OriginalVariantsTests {
    @Test func `originals of which several variants are made wait without their bytes`() async throws {
        let (decoder, store) = (HeldImageDecoder(), CountedByteStore())
        let loader = ScriptedDataLoader { request, _ in .network(request.url, Data()) }
        var configuration = AdmissionBench.configuration(decoder, stores: [store], loader)
        (configuration.maxByteCountInFlight, configuration.encodedCostLimit) = (1 << 20, 0)
        let pipeline = ImagePipeline(configuration)
        let requests = try (0..<20).map { number in
            var request = try AdmissionBench.request("host\(number).test", number)
            request.decoding.limits.maxDuration = .seconds(86_400)
            return request
        }
        for request in requests {
            let data = FakeImageDecoder.data(width: 4, height: 3) + Data(count: 100_000)
            try await store.store(data, forKey: request.url.absoluteString, options: BlobOptions())
        }
        let tasks = requests.map { request in
            Task { try await pipeline.variants(for: request, [ImageVariant([], as: .png)]).count }
        }
        _ = await AdmissionBench.eventually {
            pipeline.stages.limits.waitingCodecCount + pipeline.stages.limits.codecCount
                + pipeline.stages.limits.stored.waitingCount >= 20
        }
        let isBounded = await AdmissionBench.eventually { store.held.value.count <= 6 }
        #expect(isBounded, "\(store.held.value.count) originals of 100 kB are held")
        decoder.release()
        for task in tasks { #expect(try await task.value == 1) }
    }
}
