import CSandbox
import CalotypeSupport
import TestSupport
import Testing

@testable import CalotypeSandbox

/// The limit on the memory of all workers; here none of them is a process.
@Suite(.alone) struct WorkerMemoryLimitTests {
    private let memory = WorkerMemoryLimit(maxByteCount: 100)

    private func add() throws -> Int {
        memory.add(try #require(Descriptor(open("/dev/null", O_RDONLY | O_CLOEXEC))))
    }

    @Test func `idle workers are stopped before busy ones and the largest first`() throws {
        let workers = try (0..<4).map { _ in try add() }
        for worker in workers.prefix(2) { #expect(memory.begin(worker)) }
        for (worker, byteCount) in zip(workers, [60, 20, 10, 5]) { memory.note(worker, byteCount) }
        memory.note(workers[1], 27)
        #expect(workers.map(memory.hasEnded) == [false, false, true, false])
        memory.note(workers[1], 90)
        #expect(workers.map(memory.hasEnded) == [false, true, true, true])
    }

    @Test func `a worker is busy from the moment it is assigned a job`() throws {
        let (first, second) = (try add(), try add())
        memory.note(first, 60)
        #expect(memory.begin(first))
        #expect(memory.begin(second))
        // The other one has grown: the first one has not been counted since it got its job.
        memory.note(second, 70)
        #expect(!memory.hasEnded(first) && memory.hasEnded(second))
        memory.conclude(first)
        let third = try add()
        #expect(memory.begin(third))
        memory.note(third, 50)
        #expect(memory.hasEnded(first) && !memory.hasEnded(third))
    }

    @Test func `a worker that is being stopped gets no job`() throws {
        let (first, second) = (try add(), try add())
        memory.note(first, 60)
        memory.note(second, 50)
        #expect(memory.hasEnded(first) && !memory.begin(first))
        #expect(memory.begin(second))
    }

    @Test func `updates of a removed worker do not affect later workers`() throws {
        let first = try add()
        memory.note(first, 60)
        memory.remove(first)
        let second = try add()
        memory.note(first, 200)
        memory.remove(first)
        #expect(second != first && memory.byteCount == 0 && !memory.begin(first) && memory.begin(second))
    }
}
