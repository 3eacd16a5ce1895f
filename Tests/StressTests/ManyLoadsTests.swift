import CalotypeLoading
import FoundationEssentials
import LoopbackOrigin
import PipelineSupport
import TestSupport
import Testing

@Suite(.gated)
struct `Many loads at once` {
    private static let bytes = Data([1, 2, 3])

    @Test func `ten thousand loads from one host end once each`() async throws {
        let gate = OriginGate()
        let origin = try await LoopbackOrigin.start { request in
            request.target == "/held" ? .body(Self.bytes).held(by: gate) : .body(Self.bytes)
        }
        var configuration = HTTPDataLoader.Configuration.patient
        configuration.maxFetchConcurrencyPerHost = 1
        let loader = HTTPDataLoader(configuration)
        let held = Task { try await loader.response(for: FetchRequest(url: origin.url("/held"))).collected() }
        await gate.arrived()
        let counts = await withTaskGroup(of: Result<Int, any Error>.self) { group in
            // Each is in the queue before the next one starts.
            for number in 1...10_001 {
                let request = FetchRequest(url: origin.url("/\(number)"))
                let load = Task.immediate { try await loader.response(for: request).collected() }
                if number % 3 == 0 { load.cancel() }
                group.addTask { await load.result.map(\.count) }
            }
            await gate.open()
            var counts: [String: Int] = [:]
            for await result in group {
                switch result {
                case .success(let count): counts["\(count) bytes", default: 0] += 1
                case .failure(let error as FetchError): counts[error.code.label, default: 0] += 1
                case .failure(let error): counts["\(type(of: error))", default: 0] += 1
                }
            }
            return counts
        }
        // Cancelled loads had left the queue, so it never overflowed.
        #expect(counts == ["3 bytes": 6668, "CancellationError": 3333])
        #expect(try await held.value == Self.bytes)
        #expect(await origin.activity.snapshot.openedCount == 1)
        await loader.shutdown()
        await origin.close()
    }
}
