import CalotypeTesting
import FoundationEssentials
import PipelineSupport
import TestSupport
import Testing

@testable import Calotype
@testable import CalotypeLoading

/// Bodies that break off while the budget of their origin is full.
@Suite(.gated) struct ResumedBodyTests {
    // The first body of the one case holds the only right to exceed the budget while it waits for a
    // connection, that of the other case the whole share of its origin.
    @Test(arguments: [(4 << 20, 7 << 19), (3 << 20, (3 << 20) - (32 << 10))])
    func `a resumed body and one that waits for budget do not wait for each other`(
        byteCount: Int,
        breakOffset: Int
    ) async throws {
        let loader = OneConnectionLoader(byteCount: byteCount, breaksAt: breakOffset)
        var policy = RetryPolicy()
        policy.maxFirstDelay = .zero
        var configuration = AdmissionBench.configuration(
            FakeImageDecoder(),
            RetryingLoader(loader, policy: policy)
        )
        // 6 MiB for bodies, 3 MiB of them for an origin.
        configuration.maxByteCountInFlight = 8 << 20
        let pipeline = ImagePipeline(configuration)
        let endCount = SharedState(0)
        func begin(_ number: Int) throws -> Task<Int, any Error> {
            let request = try AdmissionBench.request("large.test", number)
            return Task {
                let width = try await pipeline.image(for: request).size.width
                endCount.withLock { $0 += 1 }
                return width
            }
        }
        let first = try begin(0)
        while pipeline.stages.limits.fetching.heldByteCount < breakOffset { await Task.yield() }
        let second = try begin(1)
        while loader.turns.waitingCount < 1 { await Task.yield() }
        loader.breaks.open()
        let areDone = await AdmissionBench.eventually { endCount.value == 2 }
        let (forBudget, forTurn) = (pipeline.stages.limits.fetching.waitingCount, loader.turns.waitingCount)
        #expect(areDone, "\(forBudget) waits for budget, \(forTurn) for a connection")
        if !areDone { for task in [first, second] { task.cancel() } }
        _ = (await first.result, await second.result)
    }
}

/// A loader with one connection, which a body holds until its end, as those of `HTTPDataLoader` do.
///
/// The first body of `0.fake` breaks off.
private final class OneConnectionLoader: DataLoader {
    let turns = AdmissionGate(maxCount: 1)
    let breaks = AsyncGate()
    private let picture: Data
    private let breakOffset: Int

    init(byteCount: Int, breaksAt offset: Int) {
        let head = FakeImageDecoder.data(width: 4, height: 3)
        picture = head + Data(count: byteCount - head.count)
        breakOffset = offset
    }

    func response(for request: FetchRequest) async throws -> FetchResponse {
        let permit = try await turns.enter(request.priority)
        let range = request.headers.first { $0.name == "Range" }?.value
        let start = range.flatMap { Int($0.dropFirst("bytes=".count).dropLast()) } ?? 0
        var headers = ["ETag": "\"a\""]
        if start > 0 { headers["Content-Range"] = "bytes \(start)-\(picture.count - 1)/\(picture.count)" }
        var response = FetchResponse.network(request.url, status: start > 0 ? 206 : 200, headers)
        response.expectedByteCount = picture.count - start
        let end = start == 0 && request.url.path.hasSuffix("/0.fake") ? breakOffset : picture.count
        response.body = FetchBody { [self] in
            var offset = start
            return FetchBody.Iterator { [self] in
                guard offset < end else {
                    if end < picture.count { await breaks.wait() }
                    permit.end()
                    guard end == picture.count else {
                        throw FetchError(.connectionLost, isRetryable: true, detail: "broken off")
                    }
                    return nil
                }
                let next = min(end, offset + (256 << 10))
                defer { offset = next }
                return Data(picture[offset..<next])
            }
        }
        return response
    }
}
