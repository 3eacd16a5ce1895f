import CalotypeTesting
import TestSupport
import Testing

@testable import CalotypeCLI

@Suite(.gated) struct OrderedWorkTests {
    @Test func `results are delivered in the order of the items, however long each takes`() async throws {
        let lastIsDone = AsyncGate()
        var results: [Int] = []
        try await OrderedWork.run([0, 1, 2, 3], maxConcurrency: 4) { item in
            if item == 3 { lastIsDone.open() }
            if item == 0 { await lastIsDone.wait() }
            return item
        } deliver: {
            results.append($0)
        }
        #expect(results == [0, 1, 2, 3])
    }

    @Test(arguments: [1, 3]) func `concurrency does not exceed the limit`(maxConcurrency: Int) async throws {
        let running = SharedState((now: 0, most: 0))
        try await OrderedWork.run(Array(0..<20), maxConcurrency: maxConcurrency) { _ in
            running.withLock { state in
                state.now += 1
                state.most = max(state.most, state.now)
            }
            await Task.yield()
            running.withLock { $0.now -= 1 }
        } deliver: { _ in
        }
        #expect(running.value.most <= maxConcurrency)
        #expect(running.value.now == 0)
    }

    @Test func `concurrency reaches the limit, also behind a slow item`() async throws {
        let isReleased = AsyncGate()
        let started = SharedState(0)
        try await OrderedWork.run(Array(0..<10), maxConcurrency: 2) { item in
            let count = started.withLock { count in
                count += 1
                return count
            }
            if item == 0 { await isReleased.wait() }
            // The first item holds one slot until all others have passed through the second.
            if count == 10 { isReleased.open() }
        } deliver: { _ in
        }
        #expect(started.value == 10)
    }

    @Test func `an error ends the run`() async {
        struct Refusal: Error {}
        await #expect(throws: Refusal.self) {
            try await OrderedWork.run([1, 2, 3], maxConcurrency: 1) { item in
                if item == 2 { throw Refusal() }
                return item
            } deliver: { item in
                #expect(item == 1)
            }
        }
    }
}
