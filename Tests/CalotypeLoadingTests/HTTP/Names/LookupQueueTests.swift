import CalotypeTesting
import TestSupport
import Testing

@testable import CalotypeLoading

@Suite(.gated) struct `The line of lookups` {
    private let start = ContinuousClock.now

    @Test func `tables stay bounded with a million names`() async {
        var line = LookupQueue<Int>(LookupLimits(runningCount: 64))
        var rememberedCount = 0
        for number in 0..<1_000_000 {
            // Shares the thread with other tests.
            if number % 1_000 == 0 { await Task.yield() }
            let name = "\(number).test"
            let duration = Duration.seconds(number % 3)
            let entry = line.enter(name, number, number, at: start)
            let ended = line.end(name, isFound: number % 2 == 0, at: start + duration)
            guard entry == .starts, ended.waiters == [number], ended.started.isEmpty else {
                Issue.record("the lookup of \(name) did not run alone")
                return
            }
            rememberedCount = max(rememberedCount, line.rememberedNameCount)
        }
        #expect(rememberedCount == 8000)
        #expect((line.runningCount, line.waitingNameCount, line.waiterCount) == (0, 0, 0))
    }

    @Test func `tables stay bounded with a million unanswered names`() async {
        var line = LookupQueue<Int>(LookupLimits(runningCount: 64))
        var entries: [LookupQueue<Int>.Entry: Int] = [:]
        for number in 0..<1_000_000 {
            // Shares the thread with other tests.
            if number % 1_000 == 0 { await Task.yield() }
            entries[line.enter("\(number).test", number, number, at: start), default: 0] += 1
        }
        #expect(entries == [.starts: 56, .waits: 1000, .refused: 1_000_000 - 1056])
        #expect((line.runningCount, line.waitingNameCount, line.waiterCount) == (56, 1000, 1056))
    }

    @Test func `an unanswered name leaves capacity for the waiters of other names`() {
        var line = LookupQueue<Int>(LookupLimits(runningCount: 8, waitingNameCount: 5, waiterCount: 8))
        let entries = (0..<9).map { line.enter("silent.test", $0, $0, at: start) }
        #expect(entries == [.starts] + Array(repeating: .waits, count: 5) + [.refused, .refused, .refused])
        #expect(line.enter("well.test", 9, 9, at: start) == .starts)
        #expect(line.waiterCount == 7)
    }

    @Test func `a slow name that resolves promptly again, or after a while, counts as normal`() {
        var line = LookupQueue<Int>(LookupLimits(runningCount: 4))
        func run(_ name: String, _ startedAt: Duration, for duration: Duration) {
            #expect(line.enter(name, 0, 0, at: start + startedAt) == .starts)
            _ = line.end(name, isFound: true, at: start + startedAt + duration)
        }
        for name in ["a", "b"] { run(name, .zero, for: .seconds(5)) }
        // One slow name may run in this configuration.
        #expect(line.enter("a", 1, 1, at: start + .seconds(6)) == .starts)
        #expect(line.enter("b", 1, 1, at: start + .seconds(6)) == .waits)
        #expect(line.end("a", isFound: true, at: start + .seconds(6)).started == ["b"])
        #expect(line.enter("a", 2, 2, at: start + .seconds(7)) == .starts)
        _ = line.end("a", isFound: true, at: start + .seconds(7))
        _ = line.end("b", isFound: true, at: start + .seconds(16))
        run("c", .seconds(600), for: .seconds(5))
        #expect(line.enter("c", 3, 3, at: start + .seconds(606)) == .starts)
        #expect(line.enter("b", 3, 3, at: start + .seconds(617)) == .starts)
    }

    /// Random callers that arrive, cancel and get their results.
    @Test(arguments: 0..<20)
    func `running names stay within the limits, and no name waits without a caller`(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let limits = LookupLimits(runningCount: 8, waitingNameCount: 5, waiterCount: 30)
        var line = LookupQueue<Int>(limits)
        var time = start
        var running: Set<String> = []
        var waiting: [String: Set<Int>] = [:]
        for number in 0..<3000 {
            time += .milliseconds(Int.random(in: 0..<500, using: &generator))
            let name = "\(Int.random(in: 0..<40, using: &generator)).test"
            switch Int.random(in: 0..<3, using: &generator) {
            case 0:
                let entry = line.enter(name, number, number, at: time)
                if entry != .refused { waiting[name, default: []].insert(number) }
                if entry == .starts { #expect(running.insert(name).inserted) }
            case 1:
                guard let caller = waiting[name]?.randomElement(using: &generator) else { break }
                let left = line.leave(name, caller)
                #expect(left?.waiter == caller && left?.hasStarted == running.contains(name))
                #expect(line.leave(name, caller) == nil)
                waiting[name]?.remove(caller)
            default:
                guard let name = running.sorted().randomElement(using: &generator) else { break }
                let ended = line.end(name, isFound: Bool.random(using: &generator), at: time)
                running.remove(name)
                #expect(Set(ended.waiters) == waiting.removeValue(forKey: name) ?? [])
                for next in ended.started {
                    #expect(running.insert(next).inserted)
                    #expect(waiting[next]?.isEmpty == false)
                }
            }
            let wanted = waiting.filter { !$0.value.isEmpty && !running.contains($0.key) }
            #expect(line.runningCount == running.count && running.count <= limits.runningCount)
            #expect(line.waitingNameCount == wanted.count && wanted.count <= 15)
            #expect(line.waiterCount == waiting.values.reduce(0) { $0 + $1.count })
        }
    }

    @Test func `a table of names retains the latest ones`() async {
        var table = RecentTable<Int>(generationCount: 10)
        for number in 0..<1_000_000 {
            // Shares the thread with other tests.
            if number % 1_000 == 0 { await Task.yield() }
            table["\(number)"] = number
            guard table.count <= 20, table["\(max(0, number - 9))"] != nil else {
                Issue.record("the table holds \(table.count) names, or has lost one")
                return
            }
        }
        #expect(table.count == 20)
        table["999999"] = nil
        #expect(table["999999"] == nil && table.count == 19)
    }
}
