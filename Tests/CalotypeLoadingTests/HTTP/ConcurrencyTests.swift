import CalotypeLoading
import FoundationEssentials
import LoopbackOrigin
import TestSupport
import Testing

@Suite(.gated)
struct `Loads at once` {
    @Test func `one host gets at most six connections`() async throws {
        let gate = OriginGate()
        try await withOrigin(["/": .body(sampleBytes(3)).held(by: gate)]) { origin, loader async throws in
            let loads = (1...40).map { _ in Task { try await loader.data(origin.url("/")) } }
            await gate.arrived(count: 6)
            #expect(await origin.activity.snapshot.requests.count == 6)
            await gate.open()
            for load in loads {
                #expect(try await load.value == sampleBytes(3))
            }
            let seen = await origin.activity.snapshot
            #expect(seen.requests.count == 40)
            #expect(seen.openedCount == 6)
        }
    }

    @Test func `a stalled host does not delay another`() async throws {
        let gate = OriginGate()
        let stalling = try await LoopbackOrigin.start(routes: ["/": OriginResponse().held(by: gate)])
        try await withOrigin(["/": .body(sampleBytes(3))]) { origin, loader async throws in
            let stalled = (1...100).map { _ in Task { try await loader.data(stalling.url("/")) } }
            await gate.arrived(count: 6)
            #expect(try await loader.data(origin.url("/")) == sampleBytes(3))
            for load in stalled { load.cancel() }
            for load in stalled {
                await #expect(throws: CancellationError.self) { try await load.value }
            }
        }
        await stalling.close()
    }

    @Test func `a redirect target does not exceed its own permits`() async throws {
        let gate = OriginGate()
        let busy = try await LoopbackOrigin.start(routes: ["/": OriginResponse().held(by: gate)])
        let away = OriginResponse.redirect(to: busy.url("/").absoluteString)
        let other = try await LoopbackOrigin.start(routes: ["/": away])
        let configuration = HTTPDataLoader.Configuration.with {
            $0.maxFetchConcurrency = 2
            $0.maxFetchConcurrencyPerHost = 1
        }
        try await withOrigin(["/": away, "/a": .body(sampleBytes(3))], configuration) {
            origin,
            loader async throws in
            let first = Task { try await loader.data(origin.url("/")) }
            await gate.arrived()
            let second = Task { try await loader.data(other.url("/")) }
            await other.activity.until { $0.requests.count == 1 }
            #expect(try await loader.data(origin.url("/a")) == sampleBytes(3))
            #expect(await busy.activity.snapshot.requests.count == 1)
            await gate.open()
            _ = try await (first.value, second.value)
            #expect(await busy.activity.snapshot.requests.count == 2)
        }
        await other.close()
        await busy.close()
    }

    @Test func `a full queue refuses loads`() async throws {
        let gate = OriginGate()
        let configuration = HTTPDataLoader.Configuration.with {
            $0.maxFetchConcurrency = 1
            $0.maxQueuedFetchCount = 0
        }
        try await withOrigin(["/": OriginResponse().held(by: gate)], configuration) {
            origin,
            loader async throws in
            let running = Task { try await loader.data(origin.url("/")) }
            await gate.arrived()
            let error = await failure { try await loader.data(origin.url("/")) }
            #expect(error?.code == .overloaded)
            #expect(error?.isRetryable == true)
            await gate.open()
            #expect(try await running.value.isEmpty)
        }
    }
}
