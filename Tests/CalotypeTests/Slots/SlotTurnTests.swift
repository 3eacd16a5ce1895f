import CalotypeTesting
import TestSupport
import Testing

@testable import Calotype

@Suite(.blocking)
struct SlotTurnTests {
    @Test func `a delivery claimed earlier is not shown after a later one`() {
        let (turn, shown) = (SlotTurn(), SharedState<[Int]>([]))
        for number in [2, 1, 4, 3, 4] { turn.run(number) { shown.withLock { $0.append(number) } } }
        #expect(shown.value == [2, 4])
    }

    @Test func `a nested delivery is shown within the outer one`() {
        let (turn, shown) = (SlotTurn(), SharedState<[String]>([]))
        turn.run(1) {
            shown.withLock { $0.append("1 begins") }
            turn.run(2) { shown.withLock { $0.append("2") } }
            shown.withLock { $0.append("1 ends") }
        }
        #expect(shown.value == ["1 begins", "2", "1 ends"])
    }

    @Test func `a delivery of another thread is shown by the thread that is delivering`() async {
        let (turn, shown) = (SlotTurn(), SharedState<[Int]>([]))
        let (entered, release) = (AsyncGate(), BlockingGate())
        async let first: Void = Task.detached {
            turn.run(1) {
                entered.open()
                release.wait()
                shown.withLock { $0.append(1) }
            }
        }.value
        await entered.wait()
        for number in [3, 2, 4] { turn.run(number) { shown.withLock { $0.append(number) } } }
        #expect(shown.value.isEmpty, "no call waits, and none runs beside the first")
        release.open()
        await first
        #expect(shown.value == [1, 2, 3, 4])
    }

    @Test func `a delivery waiting when its slot is cancelled is not shown`() async {
        let (turn, shown) = (SlotTurn(), SharedState<[Int]>([]))
        turn.run(1) {
            shown.withLock { $0.append(1) }
            turn.skip(before: 3)
            turn.run(2) { shown.withLock { $0.append(2) } }
        }
        turn.run(4) { shown.withLock { $0.append(4) } }
        #expect(shown.value == [1, 4])
    }

    @Test func `the delivery claimed last is shown last across many threads`() async {
        let (turn, shown) = (SlotTurn(), SharedState(0))
        let count = SharedState(0)
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    for _ in 0..<500 {
                        let number = count.withLock { count in
                            count += 1
                            return count
                        }
                        turn.run(number) { shown.withLock { $0 = number } }
                    }
                }
            }
        }
        #expect(shown.value == 4_000)
    }
}
