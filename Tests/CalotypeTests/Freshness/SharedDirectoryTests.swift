import CalotypeTesting
import FoundationEssentials
import PipelineSupport
import TestSupport
import Testing

@testable import Calotype
@testable import CalotypeLoading

/// Two processes over one store.
@Suite(.gated) struct SharedDirectoryTests {
    private static let old = FakeImageDecoder.data(width: 40, height: 30)
    private static let new = FakeImageDecoder.data(width: 80, height: 60)

    private func bench(
        _ store: any ByteStore,
        _ answer: @escaping ScriptedDataLoader.Script
    ) -> PipelineBench {
        PipelineBench(
            {
                let memory = ImageCache.Memory(pressureSource: nil)
                $0.cache = ImageCache(memory: memory, stores: [store], codecs: $0.cache.codecs)
            },
            answer: answer
        )
    }

    private func load(_ bench: PipelineBench) async throws -> Int {
        try await bench.pipeline.load(bench.request { $0.httpCaching = .respectsHTTP }).image.size.width
    }

    @Test func `a confirmation does not apply to bytes that another process has stored meanwhile`()
        async throws
    {
        let (other, store) = (FakeByteStore(), FakeByteStore())
        let rule = "max-age=60"
        for (store, data, tag) in [(other, Self.old, "\"1\""), (store, Self.new, "\"2\"")] {
            let bench = bench(store) { request, _ in
                .network(request.url, data, ["ETag": tag, "Cache-Control": rule])
            }
            _ = try await load(bench)
        }
        let key = PipelineBench.url.absoluteString
        let earlier = try #require(try await other.blob(forKey: key))
        let bench = bench(RacingStore(base: store, earlier: earlier)) { request, _ in
            let isConditional = request.headers.contains { $0.value == "\"2\"" }
            let headers = ["ETag": "\"2\"", "Cache-Control": rule]
            return .network(
                request.url,
                isConditional ? Data() : Self.new,
                status: isConditional ? 304 : 200,
                headers
            )
        }
        bench.time.advance(by: .seconds(90))
        #expect(try await load(bench) == 80)
        await bench.pipeline.untilIdle()
        let blob = try #require(try await store.blob(forKey: key))
        let tag = ResponseRecord(encoded: blob.metadata)?.entityTag
        #expect(tag == (blob.data == Self.new ? "\"2\"" : "\"1\""), "validators of other bytes")
    }
}

/// A store into which another process writes before each renewal.
private struct RacingStore: ForwardingByteStore {
    let base: FakeByteStore
    let earlier: Blob

    func renewBlob(forKey key: String, options: BlobOptions) async throws -> Bool {
        try await base.store(earlier.data, forKey: key, options: BlobOptions(metadata: earlier.metadata))
        return try await base.renewBlob(forKey: key, options: options)
    }
}
