import CalotypeSupport
import TestSupport
import Testing

@Suite(.gated) struct HandoverTests {
    private final class Made: Sendable {
        let numbers: [Int]

        init(_ number: Int) {
            numbers = [number, number + 1]
        }
    }

    @Test func `a value handed over at once is received`() async {
        #expect(await handedOver { handOver in handOver(42) } == 42)
    }

    // The thread sanitizer reported a race when a continuation alone carried the value.
    @Test func `a value made on a thread is visible to the task, however early it is ready`() async {
        let sums = await withTaskGroup(of: Int.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    let pool = BlockingPool(width: 1)
                    var sum = 0
                    for number in 0..<1_000 { sum += await pool.run { Made(number) }.numbers[1] }
                    return sum
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(sums == Array(repeating: 500_500, count: 8))
    }
}
