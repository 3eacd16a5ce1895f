import CalotypeTesting
import FoundationEssentials
import PipelineSupport
import TestSupport
import Testing

@testable import Calotype

/// The store of partial bodies beside a store that fails, and the other way round.
@Suite(.gated) struct PartialStoreRemovalTests {
    private let store = FakeByteStore()
    private let partials = FakeByteStore()

    private func pipeline(
        _ partials: any ByteStore,
        _ script: @escaping ScriptedDataLoader.Script = fakeImages(4, 3)
    ) -> ImagePipeline {
        let loader = ScriptedDataLoader(script)
        var configuration = AdmissionBench.configuration(FakeImageDecoder(), stores: [store], loader)
        configuration.partialStore = partials
        return ImagePipeline(configuration)
    }

    @Test(arguments: [true, false])
    func `a removal that fails in a store removes partial bodies all the same`(isOfAll: Bool) async throws {
        let pipeline = pipeline(partials)
        try await partials.store(Data([1]), forKey: "https://a.test/1.fake", options: BlobOptions())
        store.fail(with: BrokenError())
        await #expect(throws: LoadError.self) {
            if isOfAll {
                try await pipeline.removeAll()
            } else {
                try await pipeline.removeAll { $0.sourceAddress.hasPrefix("https://a.test/") }
            }
        }
        #expect(partials.keys.isEmpty)
    }

    @Test func `a shutdown closes the cache although the store of partial bodies fails`() async throws {
        let pipeline = pipeline(partials)
        partials.fail(with: BrokenError())
        await #expect(throws: (any Error).self) { try await pipeline.shutdown() }
        #expect(store.isClosed)
    }

    @Test func `an image does not wait for the removal of the beginning of its body`() async throws {
        let picture = FakeImageDecoder.data(width: 4, height: 3) + Data(count: 60_000)
        let head = ["ETag": "\"a\""]
        var held = HeldByteStore()
        held.holdsRemovals = true
        let cut = pipeline(held) { request, _ in
            var response = FetchResponse.network(request.url, picture, head)
            response.body = FetchBody(
                [picture.prefix(40_000)],
                then: FetchError(.connectionLost, detail: "lost")
            )
            return response
        }
        let request = try AdmissionBench.request("cut.test")
        await #expect(throws: LoadError.self) { try await cut.image(for: request) }
        try #require(held.base.keys.count == 1)
        let pipeline = pipeline(held) { request, _ in
            var response = FetchResponse.network(request.url, picture, head)
            guard request.headers.contains(where: { $0.name == "Range" }) else { return response }
            response.status = 206
            let range = "bytes 40000-\(picture.count - 1)/\(picture.count)"
            response.headers.append(HeaderField("Content-Range", range))
            response.body = FetchBody(Data(picture.dropFirst(40_000)))
            response.expectedByteCount = picture.count - 40_000
            return response
        }
        let isDone = SharedState(false)
        let load = Task {
            let image = try await pipeline.image(for: request)
            isDone.withLock { $0 = true }
            return image
        }
        let isInTime = await AdmissionBench.eventually { isDone.value }
        #expect(isInTime, "\(pipeline.stages.limits.fetching.heldByteCount) bytes are held meanwhile")
        held.gate.open()
        #expect(try await load.value.size.width == 4)
    }

    private struct BrokenError: Error {}
}
