import CalotypeSupport
import TestSupport
import Testing

@Suite(.gated) struct GuardedTests {
    private struct Refusal: Error, Equatable {}

    private final class Counter: Sendable {
        let value = Guarded(0)
    }

    @Test(arguments: [1, 4, 16])
    func `no update is lost between any number of threads`(threadCount: Int) async {
        let counter = Counter()
        let pool = BlockingPool(width: threadCount)
        await withTaskGroup { group in
            for _ in 0..<threadCount {
                group.addTask {
                    await pool.run { for _ in 0..<20_000 { counter.value.withLock { $0 += 1 } } }
                }
            }
        }
        #expect(counter.value.withLock { $0 } == threadCount * 20_000)
    }

    @Test func `state of any size and alignment is stored, and released with the lock`() {
        final class Held: Sendable {}
        #expect(Guarded(UInt8(7)).withLock { $0 } == 7)
        #expect(Guarded(SIMD8<Double>(repeating: 0.5)).withLock { $0.sum() } == 4)
        Guarded(()).withLock { _ in }
        weak var watched: Held?
        do {
            let held = Held()
            watched = held
            let state = Guarded<Held?>(held)
            #expect(state.withLock { $0 === held })
        }
        #expect(watched == nil)
    }

    @Test func `an error unlocks the lock and preserves the changed state`() {
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
