import CalotypeLoading
import CalotypeSupport
import CalotypeTesting
import FoundationEssentials
import LoopbackOrigin
import TestSupport
import Testing

@Suite(.gated)
struct `The order of loads` {
    /// Queues loads behind a first one and returns the paths in their order of arrival at the origin.
    private static func order(
        _ order: QueueOrder,
        _ priorities: [LivePriority],
        meanwhile: () -> Void = {}
    ) async throws -> [String] {
        let gate = OriginGate()
        let turns = HTTPDataLoader.Configuration.with {
            $0.maxFetchConcurrency = 1
            $0.queueOrder = order
        }
        let origin = try await LoopbackOrigin.start { request in
            request.target == "/first" ? .body(Data()).held(by: gate) : .body(Data())
        }
        let loader = HTTPDataLoader(turns)
        let first = Task { try await loader.data(origin.url("/first")) }
        await gate.arrived()
        // Loads enter the queue before their first suspension, so this is their order.
        let loads = priorities.enumerated().map { number, priority in
            let request = FetchRequest(url: origin.url("/\(number)"), priority: priority)
            return Task.immediate { try await loader.response(for: request).collected() }
        }
        meanwhile()
        await gate.open()
        _ = try await first.value
        for load in loads { _ = try await load.value }
        let targets = await origin.activity.snapshot.requests.map(\.target)
        await loader.shutdown()
        await origin.close()
        return Array(targets.dropFirst())
    }

    @Test func `the oldest load goes first by default`() async throws {
        let priorities = (0..<4).map { _ in LivePriority() }
        #expect(HTTPDataLoader.Configuration().queueOrder == .oldestFirst)
        #expect(try await Self.order(.oldestFirst, priorities) == ["/0", "/1", "/2", "/3"])
        #expect(try await Self.order(.newestFirst, priorities) == ["/3", "/2", "/1", "/0"])
    }

    @Test func `urgent loads go first`() async throws {
        let priorities = [LoadPriority.low, .normal, .highest, .normal, .high].map { LivePriority($0) }
        #expect(try await Self.order(.oldestFirst, priorities) == ["/2", "/4", "/1", "/3", "/0"])
    }

    @Test func `a changed priority reorders waiting loads`() async throws {
        let priorities = (0..<4).map { _ in LivePriority() }
        let order = try await Self.order(.oldestFirst, priorities) {
            priorities[3].value = .high
            priorities[0].value = .lowest
            priorities[2].value = .highest
            priorities[2].value = .normal
        }
        #expect(order == ["/3", "/1", "/2", "/0"])
    }

    @Test func `the request rate is respected, and cancelling ends the wait`() async throws {
        let clock = ManualClock()
        var surroundings = HTTPDataLoader.Surroundings()
        surroundings.clock = clock
        let origin = try await LoopbackOrigin.start(routes: ["/": .body(Data()), "/r": .redirect(to: "/")])
        let configuration = HTTPDataLoader.Configuration.with {
            $0.rateLimit = RateLimit(requestsPerSecond: 1, maxBurstCount: 2)
        }
        let loader = HTTPDataLoader(configuration, surroundings)
        _ = try await loader.data(origin.url("/"))
        _ = try await loader.data(origin.url("/"))

        let cancelled = Task { try await loader.data(origin.url("/")) }
        #expect(await clock.nextSleep() == .seconds(1))
        cancelled.cancel()
        await #expect(throws: CancellationError.self) { try await cancelled.value }

        let redirected = Task { try await loader.data(origin.url("/r")) }
        #expect(await clock.nextSleep() == .seconds(1))
        #expect(await origin.activity.snapshot.requests.count == 2)
        clock.advance(by: .seconds(1))
        // The request after the redirect counts as well.
        #expect(await clock.nextSleep() == .seconds(1))
        #expect(await origin.activity.snapshot.requests.count == 3)
        clock.advance(by: .seconds(1))
        _ = try await redirected.value
        #expect(await origin.activity.snapshot.requests.count == 4)
        await loader.shutdown()
        await origin.close()
    }

    @Test func `waiting for a permit does not count against the total timeout`() async throws {
        let clock = ManualClock()
        let now = Guarded(ContinuousClock.now)
        var surroundings = HTTPDataLoader.Surroundings()
        surroundings.clock = clock
        surroundings.now = { now.withLock { $0 } }
        let origin = try await LoopbackOrigin.start(routes: ["/": .body(Data([1])), "/r": .redirect(to: "/")])
        let configuration = HTTPDataLoader.Configuration.with {
            $0.rateLimit = RateLimit(requestsPerSecond: 0.001, maxBurstCount: 1)
        }
        let loader = HTTPDataLoader(configuration, surroundings)
        let redirected = Task { try await loader.data(origin.url("/r")) }
        let turn = await clock.nextSleep()
        #expect(turn > configuration.totalTimeout)
        now.withLock { $0 += turn }
        clock.advance(by: turn)
        #expect(try await redirected.value == Data([1]))
        await loader.shutdown()
        await origin.close()
    }
}
