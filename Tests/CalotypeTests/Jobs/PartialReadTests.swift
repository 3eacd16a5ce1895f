import CalotypeTesting
import FoundationEssentials
import PipelineSupport
import TestSupport
import Testing

@testable import Calotype
@testable import CalotypeLoading

/// A slow store of partial bodies beside a healthy store.
@Suite(.gated) struct PartialReadTests {
    @Test func `slow reads of partial bodies do not delay reads of the other stores`() async throws {
        let (partials, store) = (SecondReadHeldStore(), FakeByteStore())
        let half = 32 << 10
        let picture = FakeImageDecoder.data(width: 4, height: 3) + Data(count: 2 * half)
        let headers = ["ETag": "\"a\""]
        // As many as permits to read a store.
        let cut = try (0..<16).map { try AdmissionBench.request("cut.test", $0) }
        let loader = ScriptedDataLoader { request, _ in
            var response = FetchResponse.network(request.url, picture, headers)
            guard request.headers.contains(where: { $0.name == "Range" }) else {
                let lost = FetchError(.connectionLost, detail: "lost")
                response.body = FetchBody([picture.prefix(half)], then: lost)
                return response
            }
            response.status = 206
            let range = "bytes \(half)-\(picture.count - 1)/\(picture.count)"
            response.headers.append(HeaderField("Content-Range", range))
            response.expectedByteCount = picture.count - half
            response.body = FetchBody(Data(picture.dropFirst(half)))
            return response
        }
        var configuration = AdmissionBench.configuration(FakeImageDecoder(), stores: [store], loader)
        configuration.partialStore = partials
        let pipeline = ImagePipeline(configuration)
        for request in cut {
            await #expect(throws: LoadError.self) { try await pipeline.image(for: request) }
        }
        try #require(partials.base.keys.count == 16)
        partials.holds.withLock { $0 = true }
        let well = try AdmissionBench.request("well.test")
        try await store.store(picture, forKey: well.url.absoluteString, options: BlobOptions())
        let slow = cut.map { request in Task { try await pipeline.image(for: request) } }
        #expect(await AdmissionBench.eventually { partials.heldCount.value == 16 })
        let isDone = SharedState(false)
        let load = Task {
            _ = try await pipeline.image(for: well)
            isDone.withLock { $0 = true }
        }
        #expect(await AdmissionBench.eventually { isDone.value })
        partials.gate.open()
        for task in slow { #expect(try await task.value.size.width == 4) }
        try await load.value
    }
}

/// A store whose second read of each key hangs once a test says so.
private struct SecondReadHeldStore: ForwardingByteStore {
    let base = FakeByteStore()
    let gate = AsyncGate()
    let holds = SharedState(false)
    let heldCount = SharedState(0)
    private let seen = SharedState<Set<String>>([])

    func blob(forKey key: String) async throws -> Blob? {
        if holds.value, seen.withLock({ !$0.insert(key).inserted }) {
            heldCount.withLock { $0 += 1 }
            await gate.wait()
        }
        return try await base.blob(forKey: key)
    }
}
