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
    private struct HungStore: ByteStore {
        let base = FakeByteStore()
        let gate: AsyncGate

        var name: String { base.name }
        var isWritable: Bool { true }

        func blob(forKey key: String) async throws -> Blob? { try await base.blob(forKey: key) }

        func contains(_ key: String) async throws -> Bool {
            await Task { await gate.wait() }.value
            return try await base.contains(key)
        }

        func store(_ data: Data, forKey key: String, options: BlobOptions) async throws {
            try await base.store(data, forKey: key, options: options)
        }

        func removeBlob(forKey key: String) async throws -> Bool { try await base.removeBlob(forKey: key) }

        func removeAll() async throws -> StoreUsage { try await base.removeAll() }

        func removeBlobs(where isRemoved: @escaping @Sendable (String) -> Bool) async throws -> Int {
            try await base.removeBlobs(where: isRemoved)
        }

        func removeExpired() async throws -> StoreUsage { try await base.removeExpired() }

        func usage() async throws -> StoreUsage { try await base.usage() }

        func flush() async throws { try await base.flush() }

        func close() async throws { try await base.close() }
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
