import CalotypeSupport
import TestSupport
import Testing

@Suite(.gated) struct ConditionTests {
    // Unchecked because the state is accessed only under the condition's lock.
    private final class Turns: @unchecked Sendable {
        private let condition = Condition()
        private var next = 0
        private(set) var order: [Int] = []

        /// Appends a number when it is its turn.
        func take(_ number: Int) {
            condition.withLock {
                while next != number { condition.wait() }
                order.append(number)
                next += 1
                condition.broadcast()
            }
        }
    }

    @Test func `each thread is woken when its turn comes`() async {
        let turns = Turns()
        let pool = BlockingPool(width: 8)
        await withTaskGroup { group in
            for number in (0..<8).reversed() {
                group.addTask { await pool.run { turns.take(number) } }
            }
        }
        #expect(turns.order == Array(0..<8))
    }

    // Unchecked because the state is accessed only under the condition's lock.
    private final class Permits: @unchecked Sendable {
        private let condition = Condition()
        private var count = 0

        func add() {
            condition.withLock {
                count += 1
                condition.signal()
            }
        }

        func take() {
            condition.withLock {
                while count == 0 { condition.wait() }
                count -= 1
            }
        }
    }

    @Test func `each signal wakes a waiting thread`() async {
        let permits = Permits()
        let pool = BlockingPool(width: 4)
        await withTaskGroup { group in
            for _ in 0..<3 { group.addTask { await pool.run { for _ in 0..<500 { permits.take() } } } }
            group.addTask { await pool.run { for _ in 0..<1_500 { permits.add() } } }
        }
    }

    @Test(arguments: [Duration.zero, .nanoseconds(1), .milliseconds(20)])
    func `a timed wait without a signal ends once its duration has passed`(duration: Duration) {
        let condition = Condition()
        let start = SuspendingClock.now
        condition.withLock {
            while SuspendingClock.now - start < duration {
                condition.wait(for: duration - (SuspendingClock.now - start))
            }
        }
        #expect(SuspendingClock.now - start >= duration)
    }
}
