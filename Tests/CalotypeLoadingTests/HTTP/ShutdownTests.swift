import CalotypeLoading
import CalotypeTesting
import FoundationEssentials
import LoopbackOrigin
import TestSupport
import Testing

@Suite(.gated)
struct Shutdown {
    @Test func `running loads complete, waiting and new ones fail`() async throws {
        let gate = OriginGate()
        let configuration = HTTPDataLoader.Configuration.with { $0.maxFetchConcurrency = 1 }
        let origin = try await LoopbackOrigin.start(routes: ["/": .body(sampleBytes(9)).held(by: gate)])
        let loader = HTTPDataLoader(configuration)
        let running = Task { try await loader.data(origin.url("/")) }
        await gate.arrived()
        let waiting = Task { try await loader.data(origin.url("/")) }
        let shutdown = Task { await loader.shutdown() }
        #expect(await failure { try await waiting.value }?.code == .closed)
        #expect(await failure { try await loader.data(origin.url("/")) }?.code == .closed)
        await gate.open()
        #expect(try await running.value == sampleBytes(9))
        await shutdown.value
        await origin.activity.until { $0.openCount == 0 }
        await loader.shutdown()
        await origin.close()
    }

    @Test func `a cancelled shutdown cuts off running loads`() async throws {
        let gate = OriginGate()
        let origin = try await LoopbackOrigin.start(routes: ["/": OriginResponse().held(by: gate)])
        let loader = HTTPDataLoader(.patient)
        let running = Task { try await loader.data(origin.url("/")) }
        await gate.arrived()
        let shutdown = Task { await loader.shutdown() }
        shutdown.cancel()
        await shutdown.value
        #expect(await failure { try await running.value }?.code == .closed)
        await origin.close()
    }

    @Test func `a shutdown that cuts off stops a load before its redirect`() async throws {
        let clock = ManualClock()
        var surroundings = HTTPDataLoader.Surroundings()
        surroundings.clock = clock
        let routes = ["/": OriginResponse.redirect(to: "/next"), "/next": .body(sampleBytes(9))]
        let origin = try await LoopbackOrigin.start(routes: routes)
        let loader = HTTPDataLoader(.with { $0.rateLimit = RateLimit(requestsPerSecond: 1) }, surroundings)
        let running = Task { try await loader.data(origin.url("/")) }
        // After the redirect it has no transfer to cut off, and waits to send the next request.
        #expect(await clock.nextSleep() == .seconds(1))
        let shutdown = Task { await loader.shutdown() }
        shutdown.cancel()
        await shutdown.value
        clock.advance(by: .seconds(1))
        #expect(await failure { try await running.value }?.code == .closed)
        #expect(await origin.activity.snapshot.requests.map(\.target) == ["/"])
        await origin.close()
    }

    @Test func `a released loader stays alive until its bodies are read`() async throws {
        let gate = OriginGate()
        let response = OriginResponse(framing: .chunked, steps: [.wait(gate), .bytes(sampleBytes(7))])
        let origin = try await LoopbackOrigin.start(routes: ["/": response])
        let body = try await HTTPDataLoader(.patient).response(for: FetchRequest(url: origin.url("/")))
        await gate.open()
        #expect(try await body.collected() == sampleBytes(7))
        await origin.activity.until { $0.closedCount == 1 }
        await origin.close()
    }
}
