import CalotypeTesting
import FoundationEssentials
import PipelineSupport
import TestSupport
import Testing

@testable import Calotype

/// Stored variants beside stored originals that wait for their decode.
@Suite(.gated) struct BusyVariantTests {
    private static let head = ["ETag": "\"1\"", "Cache-Control": "max-age=600"]

    @Test func `a stored variant of a new process does not wait for the decodes of other originals`()
        async throws
    {
        let (store, decoder) = (FakeByteStore(), HeldImageDecoder())
        let picture = FakeImageDecoder.data(width: 4, height: 3) + Data(count: 100_000)
        let loader = ScriptedDataLoader { request, _ in .network(request.url, picture, Self.head) }
        let requests = try (0..<21).map { number in
            var request = try AdmissionBench.request("host\(number).test", number)
            (request.httpCaching, request.waitsForStore) = (.respectsHTTP, true)
            request.decoding.limits.maxDuration = .seconds(86_400)
            return request
        }
        var variant = requests[20]
        variant.encoding = .png
        let first = ImagePipeline(
            AdmissionBench.configuration(FakeImageDecoder(), stores: [store], loader)
        )
        for request in requests.dropLast() { _ = try await first.data(for: request) }
        _ = try await first.data(for: variant)
        #expect(store.keys.count == 22)
        var configuration = AdmissionBench.configuration(decoder, stores: [store], loader)
        configuration.maxByteCountInFlight = 1 << 20
        let second = ImagePipeline(configuration)
        let tasks = requests.dropLast().map { request in Task { try await second.image(for: request) } }
        _ = await AdmissionBench.eventually { second.stages.limits.stored.waitingCount >= 10 }
        let source = SharedState<LoadedImage.Source?>(nil)
        let hit = Task { [variant] in
            let loaded = try await second.data(for: variant).source
            source.withLock { $0 = loaded }
        }
        let isServed = await AdmissionBench.eventually { source.value == .disk }
        #expect(isServed, "it waits with \(second.stages.limits.stored.waitingCount) originals")
        decoder.release()
        for task in tasks { #expect(try await task.value.size.width == 4) }
        try await hit.value
        #expect(loader.requests.count == 21)
    }
}
