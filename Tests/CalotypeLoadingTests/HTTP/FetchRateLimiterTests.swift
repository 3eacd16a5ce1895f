import CalotypeTesting
import FoundationEssentials
import LoopbackOrigin
import TestSupport
import Testing

@testable import CalotypeLoading

/// Turns of the rate limit that callers leave, or cannot wait for.
@Suite(.gated) struct FetchRateLimiterTests {
    @Test func `callers that leave do not delay later ones`() async throws {
        let clock = ManualClock()
        let pace = FetchRateLimiter(RateLimit(requestsPerSecond: 1), clock)
        try await pace.turn()
        for _ in 0..<100 {
            let task = Task { try await pace.turn() }
            #expect(await clock.nextSleep() == .seconds(1))
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
        }
        let next = Task { try await pace.turn() }
        #expect(await clock.nextSleep() == .seconds(1))
        clock.advance(by: .seconds(1))
        try await next.value
    }

    @Test func `a caller whose turn comes after its limit fails at once and takes none`() async throws {
        let clock = ManualClock()
        let pace = FetchRateLimiter(RateLimit(requestsPerSecond: 1), clock)
        try await pace.turn(within: .zero)
        #expect(await failure { try await pace.turn(within: .milliseconds(999)) }?.code == .overloaded)
        let next = Task { try await pace.turn(within: .seconds(1)) }
        #expect(await clock.nextSleep() == .seconds(1))
        clock.advance(by: .seconds(1))
        try await next.value
        clock.advance(by: .seconds(1))
        // It is due, so the deadline is another part's concern.
        try await pace.turn(within: .seconds(-1))
    }

    @Test func `the most urgent load has the next turn`() async throws {
        let clock = ManualClock()
        let pace = FetchRateLimiter(RateLimit(requestsPerSecond: 1), clock)
        try await pace.turn()
        let first = Task { try await pace.turn(LivePriority(.low)) }
        _ = await clock.nextSleep()
        let hasHadTurn = SharedState(false)
        let low = Task {
            try await pace.turn(LivePriority(.low))
            hasHadTurn.withLock { $0 = true }
        }
        while pace.waitingCount < 1 { await Task.yield() }
        let urgent = Task { try await pace.turn(LivePriority(.high)) }
        while pace.waitingCount < 2 { await Task.yield() }
        clock.advance(by: .seconds(1))
        try await first.value
        #expect(await clock.nextSleep() == .seconds(1))
        clock.advance(by: .seconds(1))
        try await urgent.value
        #expect(!hasHadTurn.value)
        #expect(await clock.nextSleep() == .seconds(1))
        clock.advance(by: .seconds(1))
        try await low.value
    }

    @Test func `a caller that gets no turn within its limit fails`() async throws {
        let clock = ManualClock()
        let pace = FetchRateLimiter(RateLimit(requestsPerSecond: 0.1), clock)
        try await pace.turn()
        let first = Task { try await pace.turn() }
        _ = await clock.nextSleep()
        let second = Task { try await pace.turn(within: .seconds(5)) }
        while await clock.nextSleep() != .seconds(5) { await Task.yield() }
        clock.advance(by: .seconds(5))
        #expect(await failure { try await second.value }?.code == .overloaded)
        clock.advance(by: .seconds(5))
        try await first.value
    }

    @Test(arguments: ["/", "/r"])
    func `a load that would wait for the rate limit beyond its deadline fails`(path: String) async throws {
        var surroundings = HTTPDataLoader.Surroundings()
        surroundings.clock = ManualClock()
        let origin = try await LoopbackOrigin.start(routes: ["/": .body(Data([1])), "/r": .redirect(to: "/")])
        let limit = RateLimit(requestsPerSecond: 0.001, maxBurstCount: 2)
        let loader = HTTPDataLoader(.with { $0.rateLimit = limit }, surroundings)
        try await closing(origin, loader) {
            _ = try await loader.data(origin.url("/"))
            if path == "/" { _ = try await loader.data(origin.url("/")) }
            var request = FetchRequest(url: origin.url(path))
            request.deadline = .now + .seconds(600)
            let error = await failure { [request] in try await loader.response(for: request) }
            #expect(error?.code == .overloaded && error?.isRetryable == true)
            #expect(loader.activity.runningCount == 0)
        }
    }
}
