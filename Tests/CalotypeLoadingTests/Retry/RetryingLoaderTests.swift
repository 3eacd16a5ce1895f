import CalotypeLoading
import CalotypeTesting
import FoundationEssentials
import TestSupport
import Testing

@Suite(.gated)
struct `Retries` {
    @Test func `a load with a transient failure is retried twice`() async throws {
        let loader = ScriptedDataLoader { _, index in
            if index < 2 { throw lost }
            return .chunks([sampleBytes(10)])
        }
        let response = try await RetryingLoader(loader, policy: .prompt).response(for: .sample())
        #expect(try await response.collected() == sampleBytes(10))
        #expect(loader.requests.count == 3)
    }

    @Test func `retries are counted, also for the rest of a body`() async throws {
        let loader = ScriptedDataLoader { request, index in
            if index == 0 { throw lost }
            let tag: KeyValuePairs = ["ETag": "\"a\""]
            let rest: KeyValuePairs = ["ETag": "\"a\"", "Content-Range": "bytes 5-9/10"]
            guard request["Range"] != nil else {
                return .chunks([sampleBytes(5)], then: lost, tag, expecting: 10)
            }
            return .chunks([sampleBytes(10).dropFirst(5)], status: 206, rest, expecting: 5)
        }
        var request = FetchRequest.sample()
        let tally = FetchTally()
        request.tally = tally
        let response = try await RetryingLoader(loader, policy: .prompt).response(for: request)
        #expect(try await response.collected() == sampleBytes(10))
        #expect(tally.counts.retryCount == 2)
    }

    @Test func `the last error is thrown`() async {
        let loader = ScriptedDataLoader { _, index in
            throw FetchError(.connectionFailed, isRetryable: true, detail: "\(index)")
        }
        let retrying = RetryingLoader(loader, policy: .prompt)
        #expect(await failure { try await retrying.response(for: .sample()) }?.detail == "2")
        #expect(loader.requests.count == 3)
    }

    @Test func `a permanent failure is tried once`() async {
        let loader = ScriptedDataLoader { _, _ in throw FetchError(.invalidURL, detail: "") }
        let retrying = RetryingLoader(loader, policy: .prompt)
        #expect(await failure { try await retrying.response(for: .sample()) }?.code == .invalidURL)
        #expect(loader.requests.count == 1)
    }

    @Test func `without retries a loader is unchanged`() async throws {
        let loader = ScriptedDataLoader { _, _ in .chunks([sampleBytes(5)], then: lost, ["ETag": "\"a\""]) }
        let retrying = RetryingLoader(loader, policy: .none)
        #expect(await failure { try await retrying.response(for: .sample()).collected() } == lost)
        #expect(loader.requests.count == 1)
    }

    @Test func `the delays follow the policy`() async throws {
        let clock = ManualClock()
        let error = FetchError(
            .unacceptableStatus,
            status: 503,
            isRetryable: true,
            retryAfter: .seconds(4),
            detail: ""
        )
        let loader = ScriptedDataLoader { _, index in
            if index < 2 { throw error }
            return .chunks([])
        }
        let retrying = RetryingLoader(loader, clock: clock, random: SeededGenerator(seed: 1))
        let task = Task { try await retrying.response(for: .sample()) }
        #expect(await clock.nextSleep() == .seconds(4))
        #expect(loader.requests.count == 1)
        clock.advance(by: .seconds(4))
        _ = await clock.nextSleep()
        #expect(loader.requests.count == 2)
        clock.advance(by: .seconds(4))
        _ = try await task.value
        #expect(loader.requests.count == 3)
    }

    @Test func `the delay is drawn from the generator`() async throws {
        var waits: Set<Duration> = []
        for seed: UInt64 in 1...20 {
            let clock = ManualClock()
            let loader = ScriptedDataLoader { _, _ in throw lost }
            let retrying = RetryingLoader(loader, clock: clock, random: SeededGenerator(seed: seed))
            let task = Task { try await retrying.response(for: .sample()) }
            waits.insert(await clock.nextSleep())
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
        }
        #expect(waits.count == 20)
        #expect(waits.allSatisfy { $0 > .zero && $0 <= .milliseconds(500) })
    }

    @Test func `cancelling ends a delay at once, without further requests`() async throws {
        let clock = ManualClock()
        let loader = ScriptedDataLoader { _, _ in throw lost }
        let retrying = RetryingLoader(loader, clock: clock)
        let task = Task { try await retrying.response(for: .sample()) }
        _ = await clock.nextSleep()
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(loader.requests.count == 1)
    }

    @Test func `a cancellation is not retried`() async {
        let loader = ScriptedDataLoader { _, _ in throw CancellationError() }
        let retrying = RetryingLoader(loader, policy: .prompt)
        await #expect(throws: CancellationError.self) { try await retrying.response(for: .sample()) }
        #expect(loader.requests.count == 1)
    }
}
