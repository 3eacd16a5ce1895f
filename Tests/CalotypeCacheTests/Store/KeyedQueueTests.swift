import CalotypeCache
import CalotypeTesting
import TestSupport
import Testing

@Suite(.blocking) struct KeyedQueueTests {
    private typealias Queue = KeyedQueue<Int, String>

    @Test func `work on one key runs serially in order`() {
        var queue = Queue()
        #expect(queue.append("a", for: .key(1)).map(\.work) == ["a"])
        #expect(queue.append("b", for: .key(1)).isEmpty)
        #expect(queue.append("c", for: .key(1)).isEmpty)
        #expect(queue.finish(.key(1)).map(\.work) == ["b"])
        #expect(queue.finish(.key(1)).map(\.work) == ["c"])
        #expect(queue.finish(.key(1)).isEmpty)
        #expect(queue.isIdle)
    }

    @Test func `work on different keys runs concurrently`() {
        var queue = Queue()
        #expect(queue.append("a", for: .key(1)).count == 1)
        #expect(queue.append("b", for: .key(2)).count == 1)
    }

    @Test func `a barrier runs alone, after earlier work and before later work`() {
        var queue = Queue()
        _ = queue.append("a", for: .key(1))
        #expect(queue.append("barrier", for: .barrier).isEmpty)
        #expect(queue.append("b", for: .key(2)).isEmpty)
        #expect(queue.append("c", for: .key(1)).isEmpty)
        #expect(queue.finish(.key(1)).map(\.work) == ["barrier"])
        #expect(queue.append("d", for: .key(3)).isEmpty)
        #expect(queue.finish(.barrier).map(\.work) == ["b", "c", "d"])
    }

    @Test func `two barriers run one after another`() {
        var queue = Queue()
        #expect(queue.append("first", for: .barrier).map(\.work) == ["first"])
        #expect(queue.append("second", for: .barrier).isEmpty)
        #expect(queue.append("a", for: .key(1)).isEmpty)
        #expect(queue.finish(.barrier).map(\.work) == ["second"])
        #expect(queue.finish(.barrier).map(\.work) == ["a"])
    }

    @Test func `a fence runs after earlier work and delays no later work`() {
        var queue = Queue()
        _ = queue.append("a", for: .key(1))
        _ = queue.append("b", for: .key(1))
        _ = queue.append("c", for: .key(2))
        #expect(queue.append("fence", for: .fence).isEmpty)
        #expect(queue.append("d", for: .key(1)).isEmpty)
        #expect(queue.append("e", for: .key(3)).map(\.work) == ["e"])
        #expect(queue.finish(.key(2)).isEmpty)
        #expect(queue.finish(.key(1)).map(\.work) == ["b"])
        #expect(queue.finish(.key(1)).map(\.work) == ["fence", "d"])
        #expect(queue.finish(.fence).isEmpty)
    }

    @Test func `a fence waits for an earlier barrier`() {
        var queue = Queue()
        _ = queue.append("a", for: .key(1))
        #expect(queue.append("barrier", for: .barrier).isEmpty)
        #expect(queue.append("b", for: .key(2)).isEmpty)
        #expect(queue.append("fence", for: .fence).isEmpty)
        #expect(queue.busyKeys == [1, 2])
        #expect(queue.finish(.key(1)).map(\.work) == ["barrier"])
        #expect(queue.finish(.barrier).map(\.work) == ["b"])
        #expect(queue.finish(.key(2)).map(\.work) == ["fence"])
        #expect(queue.isIdle && queue.busyKeys.isEmpty)
        #expect(queue.append("next", for: .fence).map(\.work) == ["next"])
    }

    @Test func `a reserved key holds its work back`() {
        var queue = Queue()
        let isReserved = queue.reserve(1)
        #expect(isReserved)
        let isReservedTwice = queue.reserve(1)
        #expect(!isReservedTwice)
        #expect(queue.append("a", for: .key(1)).isEmpty)
        #expect(queue.append("barrier", for: .barrier).isEmpty)
        #expect(queue.finish(.key(1)).map(\.work) == ["a"])
        #expect(queue.finish(.key(1)).map(\.work) == ["barrier"])
        let isReservedInBarrier = queue.reserve(2)
        #expect(!isReservedInBarrier)
    }

    @Test(arguments: 0..<20 as Range<UInt64>)
    func `any order of events preserves the rules`(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var queue = KeyedQueue<Int, Int>()
        let fence = 4
        // The keys, of which `nil` is a barrier and 4 is a fence.
        var issued: [(id: Int, key: Int?)] = []
        var running: [(id: Int, turn: KeyedQueue<Int, Int>.Turn)] = []
        var ended: [Int] = []

        func note(_ starts: [KeyedQueue<Int, Int>.Start]) {
            for start in starts {
                let key = issued[start.work].key
                // No earlier work of the same key, or ordered by a barrier or a fence, may still be running.
                for earlier in issued[..<start.work]
                where earlier.key == key && key != fence || earlier.key == nil
                    || (key == nil || key == fence) && earlier.key != fence
                {
                    #expect(
                        ended.contains(earlier.id),
                        "\(start.work) began before \(earlier.id) ended, seed \(seed)"
                    )
                }
                running.append((start.work, start.turn))
            }
        }

        for _ in 0..<300 {
            if Bool.random(using: &generator) || running.isEmpty {
                let number = Int.random(in: 0..<12, using: &generator)
                let key = number == 0 ? nil : number == 1 ? fence : number % 4
                issued.append((issued.count, key))
                let turn: KeyedQueue<Int, Int>.Turn =
                    if let key { key == fence ? .fence : .key(key) } else { .barrier }
                note(queue.append(issued.count - 1, for: turn))
            } else {
                let (id, turn) = running.remove(at: Int.random(in: 0..<running.count, using: &generator))
                ended.append(id)
                note(queue.finish(turn))
            }
        }
        while !running.isEmpty {
            let (id, turn) = running.removeFirst()
            ended.append(id)
            note(queue.finish(turn))
        }
        #expect(ended.count == issued.count)
        #expect(queue.isIdle)
    }
}
