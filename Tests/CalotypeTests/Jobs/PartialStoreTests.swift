import CalotypeTesting
import FoundationEssentials
import PipelineSupport
import TestSupport
import Testing

@testable import Calotype
@testable import CalotypeLoading

@Suite(.gated) struct PartialStoreTests {
    @Test func `a hung store of partial bodies blocks no other store`() async throws {
        var partials = HeldByteStore()
        partials.holdsReads = true
        let store = FakeByteStore()
        let loader = ScriptedDataLoader(fakeImages(4, 3))
        var configuration = AdmissionBench.configuration(FakeImageDecoder(), stores: [store], loader)
        configuration.partialStore = partials
        configuration.storeTimeout = .milliseconds(50)
        let pipeline = ImagePipeline(configuration)
        let kept = try AdmissionBench.request("kept.test")
        let data = FakeImageDecoder.data(width: 7, height: 3)
        try await store.store(data, forKey: kept.url.absoluteString, options: BlobOptions())
        #expect(try await pipeline.image(for: kept).size.width == 7)
        for number in 0..<70 {
            _ = try await pipeline.image(for: AdmissionBench.request("other.test", number))
        }
        #expect(try await pipeline.image(for: kept).size.width == 7, "it is in a store that answers")
        partials.gate.open()
    }

    @Test(arguments: [false, true])
    func `a partial body that cannot be read again does not fail the load`(isForever: Bool) async throws {
        let partials = FakeByteStore()
        let picture = FakeImageDecoder.data(width: 4, height: 3) + Data(count: 60_000)
        let head = ["ETag": "\"a\"", "Content-Length": "\(picture.count)"]
        let lost = FetchError(.connectionLost, detail: "lost")
        func pipeline(_ store: any ByteStore, _ loader: ScriptedDataLoader) -> ImagePipeline {
            var configuration = AdmissionBench.configuration(
                FakeImageDecoder(),
                stores: [FakeByteStore()],
                loader
            )
            configuration.partialStore = store
            return ImagePipeline(configuration)
        }
        let request = try AdmissionBench.request("cut.test")
        let cut = ScriptedDataLoader { request, _ in
            var response = FetchResponse.network(request.url, picture, head)
            response.body = FetchBody([picture.prefix(40_000)], then: lost)
            return response
        }
        await #expect(throws: LoadError.self) { try await pipeline(partials, cut).image(for: request) }
        #expect(partials.keys.count == 1)
        let loader = ScriptedDataLoader { request, _ in
            var response = FetchResponse.network(request.url, picture, head)
            guard request.headers.contains(where: { $0.name == "Range" }) else { return response }
            response.status = 206
            response.headers.removeAll { $0.name == "Content-Length" }
            let range = "bytes 40000-\(picture.count - 1)/\(picture.count)"
            response.headers.append(HeaderField("Content-Range", range))
            response.body = FetchBody(Data(picture.dropFirst(40_000)))
            response.expectedByteCount = picture.count - 40_000
            return response
        }
        let store: any ByteStore =
            isForever ? UnreadableStore(base: partials) : FailingOnceReadStore(base: partials)
        let second = pipeline(store, loader)
        #expect(try await second.image(for: request).size.width == 4)
    }
}

/// A store that knows its entries and cannot read them.
private struct UnreadableStore: ForwardingByteStore {
    let base: FakeByteStore

    func blobInfo(forKey key: String) async throws -> BlobInfo? { try await base.blob(forKey: key)?.info }

    func blob(forKey key: String) async throws -> Blob? { throw UnreadableError() }
}

/// A store whose reads fail after the first one.
private struct FailingOnceReadStore: ForwardingByteStore {
    let base: FakeByteStore
    let readCount = SharedState(0)

    func blob(forKey key: String) async throws -> Blob? {
        let number = readCount.withLock { count in
            count += 1
            return count
        }
        guard number < 2 else { throw UnreadableError() }
        return try await base.blob(forKey: key)
    }
}

private struct UnreadableError: Error {}
