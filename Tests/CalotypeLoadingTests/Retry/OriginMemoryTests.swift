import CalotypeTesting
import FoundationEssentials
import Testing

@testable import CalotypeLoading

@Suite struct OriginMemoryTests {
    private static func refusal(_ retryAfter: Duration?, status: Int = 429) -> FetchError {
        FetchError(
            .unacceptableStatus,
            status: status,
            isRetryable: true,
            retryAfter: retryAfter,
            detail: "busy"
        )
    }

    /// A loader over a script, with a clock that stands still.
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

    // Origins that limit their rate ban those who go on asking.
    @Test(arguments: [429, 503])
    func `an origin that has asked for a pause is not asked in it, and others are`(status: Int) async throws {
        let instant = SharedState(ContinuousClock.now)
        let (retrying, loader) = retrying(instant) { request, number in
            if number == 0 { throw Self.refusal(.seconds(600), status: status) }
            return .chunks([])
        }
        let url = try #require(URL(string: "https://a.test/1"))
        let sibling = try #require(URL(string: "https://A.test:443/2"))
        let other = try #require(URL(string: "https://b.test/1"))
        _ = await failure { try await retrying.response(for: FetchRequest(url: url)) }
        instant.withLock { $0 += .seconds(100) }
        for _ in 0..<10 {
            let error = await failure { try await retrying.response(for: FetchRequest(url: sibling)) }
            #expect((error?.status, error?.retryAfter) == (status, .seconds(500)))
        }
        #expect(loader.requests.count == 1)
        _ = try await retrying.response(for: FetchRequest(url: other))
        instant.withLock { $0 += .seconds(500) }
        _ = try await retrying.response(for: FetchRequest(url: sibling))
        #expect(loader.requests.map(\.url) == [url, other, sibling])
    }

    @Test func `a pause that a load can wait for is waited for`() async throws {
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
        // Sleeps before this goes on.
        let second = Task.immediate { try await retrying.response(for: .sample()) }
        #expect(await clock.nextSleep() == .seconds(4))
        #expect(loader.requests.count == 1, "the second knows of the pause")
        clock.advance(by: .seconds(4))
        _ = try await (first.value, second.value)
        #expect(loader.requests.count == 3)
    }

    @Test func `a hundred loads of an origin that fails make few more requests`() async {
        let (retrying, loader) = retrying { _, _ in throw lost }
        for _ in 0..<100 { _ = await failure { try await retrying.response(for: .sample()) } }
        // Ten to begin with, and a tenth of the loads.
        #expect((119...121).contains(loader.requests.count), "\(loader.requests.count)")
    }

    @Test func `a failure without a time, or of another kind, asks for no pause`() {
        var memory = OriginMemory()
        let now = ContinuousClock.now
        memory.note(Self.refusal(nil), of: "a", at: now)
        memory.note(Self.refusal(.zero), of: "a", at: now)
        memory.note(Self.refusal(.seconds(60), status: 404), of: "a", at: now)
        #expect(memory.refusal(of: "a", at: now) == nil)
        #expect(memory.count == 0)
    }

    @Test func `a pause of years is cut`() {
        var memory = OriginMemory()
        let now = ContinuousClock.now
        memory.note(Self.refusal(.seconds(1 << 40)), of: "a", at: now)
        #expect(memory.refusal(of: "a", at: now + .seconds(3_599)) != nil)
        #expect(memory.refusal(of: "a", at: now + .seconds(3_600)) == nil)
    }

    @Test func `what is remembered is bounded, and the oldest goes first`() {
        var memory = OriginMemory(countMax: 100)
        let now = ContinuousClock.now
        for number in 0..<100_000 {
            memory.note(Self.refusal(.seconds(60)), of: "\(number)", at: now)
            #expect(memory.count <= 100)
        }
        #expect(memory.refusal(of: "99999", at: now) != nil)
        #expect(memory.refusal(of: "0", at: now) == nil)
    }
}
