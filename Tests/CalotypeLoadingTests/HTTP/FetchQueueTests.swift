import CalotypeTesting
import Testing

@testable import CalotypeLoading

@Suite
struct `The queue of loads` {
    @Test func `seeded random steps agree with a naive queue`() {
        for seed in UInt64(1)...200 {
            var random = SeededGenerator(seed: seed)
            let limits = (
                all: Int.random(in: 1...6, using: &random), host: Int.random(in: 1...3, using: &random),
                waiting: Int.random(in: 0...20, using: &random)
            )
            var queue = FetchQueue(
                runningCountMax: limits.all,
                runningCountPerHostMax: limits.host,
                waitingCountMax: limits.waiting
            )
            var naive = NaiveQueue(limits: limits)
            for number in 1...300 {
                let step = Int.random(in: 0..<5, using: &random)
                if step < 2 {
                    let host = "host\(Int.random(in: 1...4, using: &random))"
                    let ticket = FetchQueue.Ticket(number: number, host: host)
                    #expect(queue.enter(ticket) == naive.enter(ticket), "seed \(seed)")
                } else if step < 4, let ticket = naive.running.randomElement(using: &random) {
                    #expect(queue.leave(ticket) == naive.leave(ticket), "seed \(seed)")
                } else if let ticket = naive.waiting.randomElement(using: &random) {
                    queue.abandon(ticket)
                    naive.waiting.removeAll { $0 == ticket }
                }
                #expect(queue.runningCount == naive.running.count, "seed \(seed)")
                #expect(queue.waitingCount == naive.waiting.count, "seed \(seed)")
            }
        }
    }

    @Test func `giving up a place that is not there changes nothing`() {
        var queue = FetchQueue(runningCountMax: 1, runningCountPerHostMax: 1, waitingCountMax: 1)
        let ticket = FetchQueue.Ticket(number: 1, host: "a")
        #expect(queue.enter(ticket) == .start)
        queue.abandon(ticket)
        #expect(queue.runningCount == 1)
        #expect(queue.waitingCount == 0)
        #expect(queue.leave(ticket) == nil)
        #expect(queue.runningCount == 0)
    }
}

/// One list, searched from its beginning.
private struct NaiveQueue {
    let limits: (all: Int, host: Int, waiting: Int)
    var running: [FetchQueue.Ticket] = []
    var waiting: [FetchQueue.Ticket] = []

    func canStart(_ ticket: FetchQueue.Ticket) -> Bool {
        running.count < limits.all && running.count { $0.host == ticket.host } < limits.host
    }

    mutating func enter(_ ticket: FetchQueue.Ticket) -> FetchQueue.Entry {
        if canStart(ticket) {
            running.append(ticket)
            return .start
        }
        if waiting.count >= limits.waiting { return .overloaded }
        waiting.append(ticket)
        return .wait
    }

    mutating func leave(_ ticket: FetchQueue.Ticket) -> FetchQueue.Ticket? {
        running.removeAll { $0 == ticket }
        guard let index = waiting.firstIndex(where: canStart) else { return nil }
        running.append(waiting.remove(at: index))
        return running.last
    }
}
