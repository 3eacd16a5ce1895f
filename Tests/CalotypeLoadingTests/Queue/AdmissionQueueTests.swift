import CalotypeTesting
import Glibc
import TestSupport
import Testing

@testable import CalotypeLoading

@Suite(.blocking)
struct `The queue of loads` {
    @Test(arguments: [QueueOrder.oldestFirst, .newestFirst])
    func `random steps agree with a naive queue`(order: QueueOrder) {
        for seed in UInt64(1)...200 {
            var random = SeededGenerator(seed: seed)
            let limits = (
                all: Int.random(in: 1...6, using: &random), host: Int.random(in: 1...3, using: &random),
                waiting: Int.random(in: 0...20, using: &random),
                waitingPerHost: Int.random(in: 0...20, using: &random)
            )
            let reserve = (
                all: Int.random(in: 0..<limits.all, using: &random),
                host: Int.random(in: 0..<limits.host, using: &random)
            )
            var queue = AdmissionQueue(
                maxRunningCount: limits.all,
                maxRunningCountPerHost: limits.host,
                maxWaitingCount: limits.waiting,
                maxWaitingCountPerHost: limits.waitingPerHost,
                order: order,
                reserve: reserve
            )
            var naive = NaiveQueue(limits: limits, reserve: reserve, order: order)
            for number in 1...300 {
                Self.step(number, &queue, &naive, &random, seed)
                #expect(queue.runningCount == naive.running.count, "seed \(seed)")
                #expect(queue.waitingCount == naive.waiting.count, "seed \(seed)")
                #expect(!naive.waiting.contains { naive.canStart($0.ticket, $0.priority) }, "seed \(seed)")
            }
        }
    }

    @Test func `a host is limited to its share of the queue`() {
        var queue = AdmissionQueue(
            maxRunningCount: 2,
            maxRunningCountPerHost: 1,
            maxWaitingCount: 4,
            maxWaitingCountPerHost: 3,
            order: .oldestFirst
        )
        let hosts = ["a", "a", "a", "a", "a", "b", "b", "b"]
        let entries = hosts.enumerated().map { number, host in
            queue.enter(AdmissionQueue.Ticket(number: number, host: host), .normal)
        }
        #expect(entries == [.start, .wait, .wait, .wait, .overloaded, .start, .wait, .overloaded])
    }

    // The loads that are redirected to a host are not refused, however many of them wait.
    @Test func `loads redirected to a hanging host leave capacity of the queue to others`() {
        var queue = AdmissionQueue(
            maxRunningCount: 8,
            maxRunningCountPerHost: 1,
            maxWaitingCount: 8,
            maxWaitingCountPerHost: 6,
            order: .oldestFirst
        )
        let hung = (0..<20).map { AdmissionQueue.Ticket(number: $0, host: "hung") }
        for ticket in hung { _ = queue.enter(ticket, .normal, isReturning: true) }
        #expect(queue.waitingCount == 19)
        let others = (20..<24).map { number in
            queue.enter(AdmissionQueue.Ticket(number: number, host: "well"), .normal)
        }
        #expect(others == [.start, .wait, .wait, .overloaded])
        // Those that leave return only what they used.
        for ticket in hung.suffix(13) { queue.abandon(ticket) }
        #expect(queue.enter(AdmissionQueue.Ticket(number: 24, host: "well"), .normal) == .overloaded)
        queue.abandon(hung[1])
        #expect(queue.enter(AdmissionQueue.Ticket(number: 25, host: "well"), .normal) == .wait)
    }

    @Test func `the queue reports running and waiting loads of each host`() {
        var queue = AdmissionQueue(
            maxRunningCount: 3,
            maxRunningCountPerHost: 1,
            maxWaitingCount: 9,
            order: .oldestFirst
        )
        let tickets = ["a", "a", "a", "b"].enumerated().map { AdmissionQueue.Ticket(number: $0, host: $1) }
        for ticket in tickets { _ = queue.enter(ticket, .normal) }
        #expect((queue.activity.runningCount, queue.activity.waitingCount) == (2, 2))
        let (first, second) = (queue.activity.origins["a"], queue.activity.origins["b"])
        #expect(first.map { [$0.runningCount, $0.waitingCount] } == [1, 2])
        #expect(second.map { [$0.runningCount, $0.waitingCount] } == [1, 0])
        for ticket in [tickets[0], tickets[1], tickets[2], tickets[3]] { _ = queue.leave(ticket) }
        #expect(queue.activity == LoaderActivity())
    }

    @Test func `a host with limits of its own leaves permits and the queue to others`() {
        var queue = AdmissionQueue(
            maxRunningCount: 3,
            maxRunningCountPerHost: 3,
            maxWaitingCount: 1,
            order: .oldestFirst
        )
        queue.limit("large", maxRunningCount: 2, maxWaitingCount: 2)
        let large = (0..<5).map { AdmissionQueue.Ticket(number: $0, host: "large") }
        #expect(large.map { queue.enter($0, .normal) } == [.start, .start, .wait, .wait, .overloaded])
        let small = (5..<8).map { AdmissionQueue.Ticket(number: $0, host: "") }
        #expect(small.map { queue.enter($0, .normal) } == [.start, .wait, .overloaded])
        #expect(queue.move(small[0], to: "large") == nil)
        #expect(queue.leave(large[0]) == large[2])
        queue.abandon(large[3])
        #expect(queue.leave(large[1]) == small[1])
        let moved = queue.move(small[0], to: "large")
        #expect(queue.runningCount == 3 && queue.runningCount(of: "large") == 2)
        #expect(queue.enter(small[2], .normal) == .wait)
        #expect(moved.flatMap { queue.leave($0) } == small[2])
        #expect(queue.waitingCount == 0 && queue.runningCount(of: "") == 2)
    }

    @Test func `ending a permit twice is a no-op`() {
        var queue = AdmissionQueue(
            maxRunningCount: 1,
            maxRunningCountPerHost: 1,
            maxWaitingCount: 1,
            order: .oldestFirst
        )
        let ticket = AdmissionQueue.Ticket(number: 1, host: "a")
        #expect(queue.enter(ticket, .normal) == .start)
        queue.abandon(ticket)
        #expect(queue.change(ticket, to: .highest) == nil)
        #expect(queue.runningCount == 1)
        #expect(queue.waitingCount == 0)
        #expect(queue.leave(ticket) == nil)
        #expect(queue.runningCount == 0)
    }

    @Test func `urgent loads go first, and newest-first order reverses equals`() {
        func order(_ order: QueueOrder) -> [Int] {
            var queue = AdmissionQueue(
                maxRunningCount: 1,
                maxRunningCountPerHost: 1,
                maxWaitingCount: 9,
                order: order
            )
            let priorities: [LoadPriority] = [.normal, .low, .normal, .high, .normal, .highest, .lowest]
            let tickets = priorities.indices.map { AdmissionQueue.Ticket(number: $0, host: "host\($0 % 2)") }
            for (ticket, priority) in zip(tickets, priorities) { _ = queue.enter(ticket, priority) }
            #expect(queue.change(tickets[6], to: .high) == nil)
            var running: AdmissionQueue.Ticket? = tickets[0]
            var numbers: [Int] = []
            while let ended = running {
                numbers.append(ended.number)
                running = queue.leave(ended)
            }
            return numbers
        }
        #expect(order(.oldestFirst) == [0, 5, 3, 6, 2, 4, 1])
        #expect(order(.newestFirst) == [0, 5, 6, 3, 4, 2, 1])
    }

    @Test func `an urgent load starts despite any number of prefetches`() {
        var queue = AdmissionQueue(
            maxRunningCount: 64,
            maxRunningCountPerHost: 6,
            maxWaitingCount: 100,
            order: .oldestFirst,
            reserve: (8, 2)
        )
        let prefetches = (0..<20).map { AdmissionQueue.Ticket(number: $0, host: "a") }
        #expect(prefetches.map { queue.enter($0, .low) }.count { $0 == .start } == 4)
        #expect(queue.enter(AdmissionQueue.Ticket(number: 20, host: "a"), .high) == .start)
        #expect(queue.change(prefetches[19], to: .high) == prefetches[19], "and one that becomes urgent")
        #expect(queue.enter(AdmissionQueue.Ticket(number: 21, host: "a"), .high) == .wait)
    }

    @Test func `ten thousand waiting loads are cancelled, reprioritised and started cheaply`() {
        var queue = AdmissionQueue(
            maxRunningCount: 64,
            maxRunningCountPerHost: 6,
            maxWaitingCount: 10_000,
            order: .newestFirst
        )
        let tickets = (0..<10_000).map { AdmissionQueue.Ticket(number: $0, host: "host\($0 % 7)") }
        let elapsed = Self.processorTime {
            var running = tickets.filter { queue.enter($0, .normal) == .start }
            for ticket in tickets where ticket.number % 3 == 0 { _ = queue.change(ticket, to: .high) }
            for ticket in tickets where ticket.number % 5 == 0 && !running.contains(ticket) {
                queue.abandon(ticket)
            }
            while let ended = running.popLast() {
                if let next = queue.leave(ended) { running.append(next) }
            }
        }
        #expect(queue.waitingCount == 0)
        #expect(queue.runningCount == 0)
        // Steps that visit every waiting load would need several hundred million comparisons: minutes.
        #expect(elapsed < .seconds(20))
    }

    /// The processor time of this thread in the body.
    private static func processorTime(_ body: () -> Void) -> Duration {
        func now() -> Duration {
            var time = timespec()
            clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
            return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
        }
        let start = now()
        body()
        return now() - start
    }

    private static func step(
        _ number: Int,
        _ queue: inout AdmissionQueue,
        _ naive: inout NaiveQueue,
        _ random: inout SeededGenerator,
        _ seed: UInt64
    ) {
        let priority = LoadPriority.allCases.randomElement(using: &random) ?? .normal
        switch Int.random(in: 0..<6, using: &random) {
        case 0, 1:
            let host = "host\(Int.random(in: 1...4, using: &random))"
            let ticket = AdmissionQueue.Ticket(number: number, host: host)
            let isReturning = Int.random(in: 0..<4, using: &random) == 0
            #expect(
                queue.enter(ticket, priority, isReturning: isReturning)
                    == naive.enter(ticket, priority, isReturning: isReturning),
                "seed \(seed)"
            )
        case 2, 3:
            guard let ticket = naive.running.randomElement(using: &random) else { return }
            #expect(queue.leave(ticket) == naive.leave(ticket), "seed \(seed)")
        case 4:
            guard let index = naive.waiting.indices.randomElement(using: &random) else { return }
            let started = queue.change(naive.waiting[index].ticket, to: priority)
            naive.waiting[index].priority = priority
            #expect(started == naive.startNext(), "seed \(seed)")
        default:
            guard let index = naive.waiting.indices.randomElement(using: &random) else { return }
            queue.abandon(naive.waiting.remove(at: index).ticket)
        }
    }
}

private struct NaiveQueue {
    typealias Waiting = (ticket: AdmissionQueue.Ticket, priority: LoadPriority)

    let limits: (all: Int, host: Int, waiting: Int, waitingPerHost: Int)
    let reserve: (all: Int, host: Int)
    let order: QueueOrder
    var running: [AdmissionQueue.Ticket] = []
    var waiting: [Waiting] = []

    func canStart(_ ticket: AdmissionQueue.Ticket, _ priority: LoadPriority) -> Bool {
        let reserve: (all: Int, host: Int) = priority < .normal ? reserve : (0, 0)
        return running.count < limits.all - reserve.all
            && running.count { $0.host == ticket.host } < limits.host - reserve.host
    }

    mutating func enter(
        _ ticket: AdmissionQueue.Ticket,
        _ priority: LoadPriority,
        isReturning: Bool
    ) -> AdmissionQueue.Entry {
        if canStart(ticket, priority) {
            running.append(ticket)
            return .start
        }
        let counts = Dictionary(grouping: waiting, by: \.ticket.host).mapValues(\.count)
        let isFull = counts.values.reduce(0) { $0 + min($1, limits.waitingPerHost) } >= limits.waiting
        let hostIsFull = counts[ticket.host, default: 0] >= limits.waitingPerHost
        if isFull || hostIsFull, !isReturning { return .overloaded }
        waiting.append((ticket, priority))
        return .wait
    }

    mutating func leave(_ ticket: AdmissionQueue.Ticket) -> AdmissionQueue.Ticket? {
        running.removeAll { $0 == ticket }
        return startNext()
    }

    mutating func startNext() -> AdmissionQueue.Ticket? {
        let able = waiting.filter { canStart($0.ticket, $0.priority) }
        guard let urgency = able.map(\.priority).max() else { return nil }
        let equals = able.filter { $0.priority == urgency }.map(\.ticket.number)
        let number = order == .oldestFirst ? equals.min() : equals.max()
        guard let index = waiting.firstIndex(where: { $0.ticket.number == number }) else { return nil }
        running.append(waiting.remove(at: index).ticket)
        return running.last
    }
}
