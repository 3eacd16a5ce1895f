import CalotypeTesting
import FoundationEssentials
import LoopbackOrigin
import TestSupport
import Testing

@testable import CalotypeLoading

@Suite(.gated) struct OriginBackoffTests {
    private static func refusal(_ retryAfter: Duration?, status: Int = 429) -> FetchError {
        FetchError(
            .unacceptableStatus,
            status: status,
            isRetryable: true,
            retryAfter: retryAfter,
            detail: "busy"
        )
    }

    private static func url(_ host: String) throws -> URL {
        try #require(URL(string: "https://h\(host).test/"))
    }

    /// A loader over a script, with a stopped clock.
    private func retrying(
        _ instant: SharedState<ContinuousClock.Instant> = SharedState(.now),
        _ script: @escaping ScriptedDataLoader.Script
    ) -> (RetryingLoader, ScriptedDataLoader) {
        let loader = ScriptedDataLoader(script)
        let retrying = RetryingLoader(
            loader,
            policy: .prompt,
            clock: ManualClock(),
            random: SeededGenerator(seed: 1),
            now: { instant.value }
        )
        return (retrying, loader)
    }

    @Test func `a refusal noted twice neither grows nor changes the pause`() throws {
        var memory = OriginBackoff()
        let (url, start) = (try Self.url("a"), ContinuousClock.now)
        memory.note(Self.refusal(.seconds(600)), of: url, at: start)
        for second in 1...100 {
            let now = start + .seconds(second)
            let refusal = try #require(memory.refusal(of: url, at: now))
            #expect(refusal.detail.count < 100)
            memory.note(refusal, of: url, at: now)
        }
        #expect(memory.refusal(of: url, at: start + .seconds(599)) != nil)
        #expect(memory.refusal(of: url, at: start + .seconds(600)) == nil)
    }

    // Origins that limit their rate ban clients that continue to send requests.
    @Test func `an origin that requested a pause is not loaded from during it, and others are`() async throws
    {
        let instant = SharedState(ContinuousClock.now)
        let (retrying, loader) = retrying(instant) { request, number in
            if number == 0 { throw Self.refusal(.seconds(600)) }
            return .chunks([])
        }
        let url = try #require(URL(string: "https://a.test/1"))
        let sibling = try #require(URL(string: "https://A.test:443/2"))
        let other = try #require(URL(string: "https://b.test/1"))
        _ = await failure { try await retrying.response(for: FetchRequest(url: url)) }
        instant.withLock { $0 += .seconds(100) }
        for _ in 0..<10 {
            let error = await failure { try await retrying.response(for: FetchRequest(url: sibling)) }
            #expect((error?.status, error?.retryAfter) == (429, .seconds(500)))
        }
        #expect(loader.requests.count == 1)
        _ = try await retrying.response(for: FetchRequest(url: other))
        instant.withLock { $0 += .seconds(500) }
        _ = try await retrying.response(for: FetchRequest(url: sibling))
        #expect(loader.requests.map(\.url) == [url, other, sibling])
    }

    @Test func `a 503 pauses its own URL alone`() async throws {
        let (retrying, loader) = retrying { _, number in
            if number == 0 { throw Self.refusal(.seconds(600), status: 503) }
            return .chunks([])
        }
        let url = try #require(URL(string: "https://a.test/1"))
        let sibling = try #require(URL(string: "https://a.test/2"))
        for _ in 0..<3 {
            let error = await failure { try await retrying.response(for: FetchRequest(url: url)) }
            #expect(error?.status == 503)
        }
        _ = try await retrying.response(for: FetchRequest(url: sibling))
        #expect(loader.requests.map(\.url) == [url, sibling])
    }

    @Test(arguments: [429, 503])
    func `the target of a redirect is paused, not the redirecting origin`(status: Int) async throws {
        let busy = OriginResponse(status: status, headers: [OriginField("Retry-After", "600")])
        let target = try await LoopbackOrigin.start(routes: ["/busy": busy, "/well": .body(Data([1]))])
        let origin = try await LoopbackOrigin.start(
            routes: [
                "/a": .redirect(to: target.url("/busy").absoluteString), "/own": .body(Data([2])),
                "/b": .redirect(to: target.url("/well").absoluteString),
            ]
        )
        let retrying = RetryingLoader(HTTPDataLoader(.patient), policy: .prompt)
        for _ in 0..<3 {
            let error = await failure { try await retrying.data(origin.url("/a")) }
            #expect(error?.status == status)
        }
        #expect(await target.activity.snapshot.requests.count == 1)
        #expect(try await retrying.data(origin.url("/own")) == Data([2]))
        if status == 503 {
            #expect(try await retrying.data(origin.url("/b")) == Data([1]))
        } else {
            #expect(await failure { try await retrying.data(origin.url("/b")) }?.status == 429)
        }
        await retrying.shutdown()
        await origin.close()
        await target.close()
    }

    @Test func `a pause within the limit is waited for`() async throws {
        let clock = ManualClock()
        let loader = ScriptedDataLoader { _, number in
            if number == 0 { throw Self.refusal(.seconds(4)) }
            return .chunks([])
        }
        let instant = ContinuousClock.now
        let retrying = RetryingLoader(
            loader,
            policy: .prompt,
            clock: clock,
            random: SeededGenerator(seed: 1),
            now: { instant }
        )
        let first = Task.immediate { try await retrying.response(for: .sample()) }
        #expect(await clock.nextSleep() == .seconds(4))
        // Runs until it sleeps.
        let second = Task.immediate { try await retrying.response(for: .sample()) }
        #expect(await clock.nextSleep() == .seconds(4))
        #expect(loader.requests.count == 1, "the second knows of the pause")
        clock.advance(by: .seconds(4))
        _ = try await (first.value, second.value)
        #expect(loader.requests.count == 3)
    }

    @Test func `a body is not resumed during a pause of its origin`() async throws {
        let gate = AsyncGate()
        let url = try #require(URL(string: "https://a.test/1"))
        let sibling = try #require(URL(string: "https://a.test/2"))
        let (retrying, loader) = retrying { request, _ in
            if request.url == sibling { throw Self.refusal(.seconds(600)) }
            var response = FetchResponse.chunks([], ["ETag": "\"a\""], expecting: 10)
            response.body = FetchBody {
                var isFirst = true
                return FetchBody.Iterator {
                    defer { isFirst = false }
                    if isFirst { return sampleBytes(5) }
                    await gate.wait()
                    throw lost
                }
            }
            return response
        }
        let response = try await retrying.response(for: FetchRequest(url: url))
        let body = Task { try await response.collected() }
        _ = await failure { try await retrying.response(for: FetchRequest(url: sibling)) }
        gate.open()
        #expect(await failure { try await body.value } == lost)
        #expect(loader.requests.map(\.url) == [url, sibling])
    }

    @Test func `a pause requested in response to a resumption applies to the origin`() async throws {
        let url = try #require(URL(string: "https://a.test/1"))
        let sibling = try #require(URL(string: "https://a.test/2"))
        let (retrying, loader) = retrying { _, number in
            if number > 0 { throw Self.refusal(.seconds(600)) }
            return .chunks([sampleBytes(5)], then: lost, ["ETag": "\"a\""], expecting: 10)
        }
        #expect(await failure { try await retrying.data(url) } == lost)
        #expect(loader.requests.count == 2)
        #expect(await failure { try await retrying.data(sibling) }?.status == 429)
        #expect(loader.requests.count == 2)
    }

    @Test func `a load is not retried during a pause that has begun meanwhile`() async throws {
        let clock = ManualClock()
        let url = try #require(URL(string: "https://a.test/1"))
        let sibling = try #require(URL(string: "https://a.test/2"))
        let loader = ScriptedDataLoader { request, _ in
            throw request.url == url ? lost : Self.refusal(.seconds(600))
        }
        let retrying = RetryingLoader(loader, clock: clock, random: SeededGenerator(seed: 1))
        let waiting = Task { try await retrying.data(url) }
        let delay = await clock.nextSleep()
        _ = await failure { try await retrying.data(sibling) }
        clock.advance(by: delay)
        #expect(await failure { try await waiting.value }?.status == 429)
        #expect(loader.requests.map(\.url) == [url, sibling])
    }

    @Test func `a hundred loads of a failing origin cause few more requests`() async {
        let (retrying, loader) = retrying { _, _ in throw lost }
        for _ in 0..<100 { _ = await failure { try await retrying.response(for: .sample()) } }
        // Ten initially, and a tenth of the loads.
        #expect((119...121).contains(loader.requests.count), "\(loader.requests.count)")
    }

    @Test func `a failure without a time, or of another kind, causes no pause`() throws {
        var memory = OriginBackoff()
        let now = ContinuousClock.now
        try memory.note(Self.refusal(nil), of: Self.url("a"), at: now)
        try memory.note(Self.refusal(.zero), of: Self.url("a"), at: now)
        try memory.note(Self.refusal(.seconds(60), status: 404), of: Self.url("a"), at: now)
        #expect(try memory.refusal(of: Self.url("a"), at: now) == nil)
        #expect(memory.count == 0)
    }

    @Test func `a pause of years is capped`() throws {
        var memory = OriginBackoff()
        let now = ContinuousClock.now
        try memory.note(Self.refusal(.seconds(1 << 40)), of: Self.url("a"), at: now)
        #expect(try memory.refusal(of: Self.url("a"), at: now + .seconds(3_599)) != nil)
        #expect(try memory.refusal(of: Self.url("a"), at: now + .seconds(3_600)) == nil)
    }

    @Test func `pauses are bounded in number, and the oldest is dropped first`() throws {
        var memory = OriginBackoff(maxCount: 100)
        let now = ContinuousClock.now
        for number in 0..<100_000 {
            try memory.note(Self.refusal(.seconds(60)), of: Self.url("\(number)"), at: now)
            #expect(memory.count <= 100)
        }
        #expect(try memory.refusal(of: Self.url("99999"), at: now) != nil)
        #expect(try memory.refusal(of: Self.url("0"), at: now) == nil)
    }
}
