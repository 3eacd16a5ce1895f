import CalotypeCore
import CalotypeLoading
import CalotypeTesting
import FoundationEssentials
import LoopbackOrigin
import TestSupport
import Testing

/// Waits that the origin is not responsible for.
@Suite(.gated) struct QueueBlameTests {
    @Test func `a load without a turn because of other origins is not a failure of its origin`() async throws
    {
        let gate = OriginGate()
        let stalling = try await LoopbackOrigin.start(routes: ["/": OriginResponse().held(by: gate)])
        try await withOrigin(["/": .body(Data([1]))], .with { $0.maxFetchConcurrency = 1 }) {
            origin,
            loader in
            let first = Task { try await loader.data(stalling.url("/")) }
            await gate.arrived()
            var request = FetchRequest(url: origin.url("/"))
            request.deadline = .now + .milliseconds(50)
            let error = await failure { try await loader.response(for: request) }
            #expect(error?.isOriginFailure == false, "\(String(describing: error))")
            #expect(await origin.activity.snapshot.requests.count == 0)
            first.cancel()
            _ = await first.result
            await gate.open()
        }
        await stalling.close()
    }

    @Test func `an origin that begins a pause is not contacted by loads that wait for their turn`()
        async throws
    {
        let gate = OriginGate()
        let routes = ["/": OriginResponse().held(by: gate), "/next": .body(Data([1]))]
        try await withOrigin(routes, .with { $0.maxFetchConcurrency = 1 }) { origin, loader in
            let first = Task { try await loader.data(origin.url("/")) }
            await gate.arrived()
            let pause = FetchError(.unacceptableStatus, status: 429, isRetryable: true, detail: "busy")
            let isPaused = SharedState(false)
            var request = FetchRequest(url: origin.url("/next"))
            request.refusal = { _ in isPaused.value ? pause : nil }
            // It enters the queue before its first suspension.
            let next = Task.immediate { [request] in try await loader.response(for: request) }
            isPaused.withLock { $0 = true }
            await gate.open()
            _ = try await first.value
            #expect(await failure { try await next.value } == pause)
            #expect(await origin.activity.snapshot.requests.map(\.target) == ["/"])
            #expect(loader.activity == LoaderActivity())
        }
    }

    @Test func `an origin is not failing if the queue has left it hardly any time`() async throws {
        let (gate, slow) = (OriginGate(), OriginGate())
        let now = SharedState(ContinuousClock.now)
        var surroundings = HTTPDataLoader.Surroundings()
        surroundings.now = { now.value }
        let stalling = try await LoopbackOrigin.start(routes: ["/": OriginResponse().held(by: gate)])
        let origin = try await LoopbackOrigin.start(routes: ["/": OriginResponse().held(by: slow)])
        let loader = HTTPDataLoader(.with { $0.maxFetchConcurrency = 1 }, surroundings)
        let first = Task { try await loader.data(stalling.url("/")) }
        await gate.arrived()
        var request = FetchRequest(url: origin.url("/"))
        request.deadline = now.value + .seconds(100)
        let second = Task { [request] in try await loader.response(for: request) }
        while loader.activity.waitingCount == 0 { await Task.yield() }
        now.withLock { $0 += .milliseconds(99_950) }
        first.cancel()
        _ = await first.result
        let error = await failure { try await second.value }
        #expect(error?.isOriginFailure == false, "\(String(describing: error))")
        await gate.open()
        await slow.open()
        await loader.shutdown()
        await stalling.close()
        await origin.close()
    }

    @Test func `a name without an address is not a failure of the target of an earlier redirect`()
        async throws
    {
        var surroundings = HTTPDataLoader.Surroundings()
        surroundings.resolve = { name in
            throw FetchError(.hostNotFound, isRetryable: true, detail: name)
        }
        let loader = HTTPDataLoader(HTTPDataLoader.Configuration(), surroundings)
        var request = FetchRequest(url: try #require(URL(string: "https://first.test/a.png")))
        let tally = FetchTally()
        request.tally = tally
        // As an earlier try leaves it, which was redirected.
        let target = try #require(URL(string: "https://target.test/a.png"))
        tally.recordRedirect(to: target)
        let error = await failure { [request] in try await loader.response(for: request) }
        #expect(error?.code == .hostNotFound)
        #expect(tally.redirectTarget == nil, "it gets the blame")
        await loader.shutdown()
    }

    @Test func `a load that waits for the rate limit is queued`() async throws {
        let clock = ManualClock()
        var surroundings = HTTPDataLoader.Surroundings()
        surroundings.clock = clock
        let origin = try await LoopbackOrigin.start(routes: ["/": .body(Data([1]))])
        let configuration = HTTPDataLoader.Configuration.with {
            $0.rateLimit = RateLimit(requestsPerSecond: 1, maxBurstCount: 1)
        }
        let loader = HTTPDataLoader(configuration, surroundings)
        _ = try await loader.data(origin.url("/"))
        let tally = FetchTally()
        var request = FetchRequest(url: origin.url("/"))
        request.tally = tally
        let waiting = Task { [request] in try await loader.response(for: request).collected() }
        _ = await clock.nextSleep()
        #expect(tally.isQueued)
        clock.advance(by: .seconds(1))
        _ = try await waiting.value
        await loader.shutdown()
        await origin.close()
    }
}
