import TestSupport
import Testing

@testable import CalotypeSupport

@Suite(.gated) struct WorkLanesTests {
    @Test func `urgent work precedes waiting ordinary work, each in order`() {
        var lanes = WorkLanes<Int>(maxOrdinary: 4)
        for number in 1...4 { lanes.append(number, number.isMultiple(of: 2) ? .urgent : .ordinary) }
        #expect(allStarted(&lanes) == [2, 4, 1, 3])
        #expect(lanes.isEmpty)
    }

    @Test func `ordinary work has turns under endless urgent work`() throws {
        var lanes = WorkLanes<Int>(maxOrdinary: 1)
        lanes.append(-1, .ordinary)
        for number in 0..<100 { lanes.append(number, .urgent) }
        let place = try #require(allStarted(&lanes).firstIndex(of: -1))
        #expect(place == WorkLanes<Int>.maxUrgentRun)
    }

    @Test func `ordinary work at its limit leaves the rest waiting until one ends`() {
        var lanes = WorkLanes<Int>(maxOrdinary: 2)
        for number in 1...3 { lanes.append(number, .ordinary) }
        #expect(lanes.startableCount == 2)
        #expect(lanes.takeNext()?.work == 1)
        #expect(lanes.takeNext()?.work == 2)
        #expect(lanes.takeNext() == nil)
        #expect(!lanes.isEmpty)
        lanes.append(4, .urgent)
        #expect(lanes.takeNext()?.work == 4)
        lanes.finish(.urgent)
        #expect(lanes.takeNext() == nil)
        lanes.finish(.ordinary)
        #expect(lanes.takeNext()?.work == 3)
    }

    @Test func `a long queue is dequeued in order while it grows`() {
        var lanes = WorkLanes<Int>(maxOrdinary: .max)
        var taken: [Int] = []
        for number in 0..<1_000 {
            lanes.append(number, .ordinary)
            if !number.isMultiple(of: 3), let next = lanes.takeNext() { taken.append(next.work) }
        }
        taken += allStarted(&lanes)
        #expect(taken == Array(0..<1_000))
    }

    /// Dequeues and ends one item after the other.
    private func allStarted(_ lanes: inout WorkLanes<Int>) -> [Int] {
        var started: [Int] = []
        while let (work, urgency) = lanes.takeNext() {
            started.append(work)
            lanes.finish(urgency)
        }
        return started
    }
}
