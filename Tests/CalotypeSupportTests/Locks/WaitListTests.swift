import CalotypeSupport
import TestSupport
import Testing

@Suite(.gated) struct WaitListTests {
    private struct State: Sendable {
        var isOpen = false
        var waiters = WaitList<Int>()
    }

    private final class Door: Sendable {
        let state = Guarded(State())

        var waiterCount: Int { state.withLock(\.waiters.count) }

        func enter(_ subject: Int = 0) -> Int? {
            state.withLock { $0.isOpen ? nil : $0.waiters.enter(subject) }
        }

        func pass(_ subject: Int = 0) async {
            if let number = enter(subject) { await state.wait(number, in: \.waiters) }
        }

        func open() {
            let waiters = state.withLock { state in
                state.isOpen = true
                return state.waiters.take()
            }
            for waiter in waiters { waiter.resume() }
        }
    }

    @Test func `an entry removed before its task is suspended does not suspend it`() async throws {
        let door = Door()
        let number = try #require(door.enter())
        door.open()
        await door.state.wait(number, in: \.waiters)
        #expect(door.waiterCount == 0)
    }

    @Test func `a cancelled task is not suspended, and its entry is removed`() async {
        let door = Door()
        let task = Task {
            while !Task.isCancelled { await Task.yield() }
            await door.pass()
        }
        task.cancel()
        await task.value
        #expect(door.waiterCount == 0)
    }

    @Test func `waiters are taken by their subject, in the order of their arrival`() async {
        let door = Door()
        var tasks: [Task<Void, Never>] = []
        for subject in 0..<6 {
            tasks.append(Task { await door.pass(subject) })
            while door.waiterCount < tasks.count { await Task.yield() }
        }
        let even = door.state.withLock { $0.waiters.take { $0.isMultiple(of: 2) } }
        #expect(door.waiterCount == 3)
        for (waiter, subject) in zip(even, [0, 2, 4]) {
            waiter.resume()
            await tasks[subject].value
        }
        door.open()
        for task in tasks { await task.value }
        #expect(door.waiterCount == 0)
    }

    @Test func `tasks that are resumed and cancelled at any moment end once`() async {
        for _ in 0..<50 {
            let door = Door()
            await withTaskGroup { group in
                for number in 0..<100 {
                    group.addTask {
                        let task = Task { await door.pass() }
                        if number.isMultiple(of: 3) { task.cancel() }
                        await task.value
                    }
                }
                group.addTask { door.open() }
            }
            #expect(door.waiterCount == 0)
        }
    }
}
