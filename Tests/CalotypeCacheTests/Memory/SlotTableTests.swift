import CalotypeTesting
import TestSupport
import Testing

@testable import CalotypeCache

@Suite(.blocking, .skipped(under: .thread, because: "computes on one thread")) struct SlotTableTests {
    @Test(arguments: 1...10) func `a slot table agrees with a dictionary`(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var table = SlotTable()
        var tags: [Slot: UInt32] = [:]
        for step in 0..<3_000 {
            let slot = Int.random(in: 0..<300, using: &generator)
            if let tag = tags.removeValue(forKey: slot) {
                table.remove(slot, tag: tag)
                #expect(table.slot(tag: tag) { $0 == slot } == nil, "seed \(seed), step \(step)")
            } else {
                // Few distinct tags, at both ends of the table, make long runs that wrap around.
                let tag = UInt32.random(in: 0..<8, using: &generator) &* 0x2000_0001 &- 0x1000_0000
                table.insert(slot, tag: tag)
                tags[slot] = tag
            }
            if step.isMultiple(of: 50) { table.checkInvariants() }
        }
        for (slot, tag) in tags {
            #expect(table.slot(tag: tag) { $0 == slot } == slot, "seed \(seed)")
        }
    }
}

@Suite(.blocking) struct SlotQueuesTests {
    @Test(arguments: 1...10) func `slot queues agree with arrays`(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var queues = SlotQueues(note: ())
        var arrays: [[Slot]] = [[], [], []]
        for step in 0..<2_000 {
            let slot = Int.random(in: 0..<50, using: &generator)
            let target = Int.random(in: 0..<3, using: &generator)
            let isQueued = arrays.joined().contains(slot)
            for index in arrays.indices { arrays[index].removeAll { $0 == slot } }
            switch (isQueued, Int.random(in: 0..<3, using: &generator)) {
            case (true, 0):
                queues.remove(slot)
            case (true, _):
                queues.move(slot, to: target)
                arrays[target].append(slot)
            case (false, _):
                queues.append(slot, cost: slot + 1, to: target)
                arrays[target].append(slot)
            }
            #expect((0..<3).map { queues.slots(of: $0) } == arrays, "seed \(seed), step \(step)")
            queues.checkInvariants()
        }
    }
}
