import CalotypeSupport
import Testing

@Suite struct GuardedTests {
    private struct Refusal: Error, Equatable {}

    private final class Counter: Sendable {
        let value = Guarded(0)
    }

    @Test func `no update is lost between threads`() async {
        let counter = Counter()
        let pool = BlockingPool(width: 4)
        await withTaskGroup { group in
            for _ in 0..<4 {
                group.addTask {
                    await pool.run { for _ in 0..<10_000 { counter.value.withLock { $0 += 1 } } }
                }
            }
        }
        #expect(counter.value.withLock { $0 } == 40_000)
    }

    @Test func `an error leaves the lock open and the state as it was left`() {
        let state = Guarded(1)
        #expect(throws: Refusal()) {
            try state.withLock { value throws(Refusal) in
                value = 2
                throw Refusal()
            }
        }
        #expect(state.withLock { $0 } == 2)
    }
}
