import TestSupport
import Testing

@testable import Calotype

@Suite(.gated) struct CoalescerTests {
    private typealias Subject = Coalescer<String, Int>

    private func started(_ joining: Subject.JoinResult) -> Int? {
        if case .start(let id) = joining { id } else { nil }
    }

    @Test func `the first waiter starts the work and the next ones join it`() {
        var coalescer = Subject()
        let id = started(coalescer.join("a", waiter: 1))
        guard case .wait(let joined) = coalescer.join("a", waiter: 2) else {
            Issue.record("did not join"); return
        }
        #expect(joined == id)
        #expect(started(coalescer.join("b", waiter: 3)) != nil)
    }

    @Test func `only the last waiter to leave cancels the work`() throws {
        var coalescer = Subject()
        let id = try #require(started(coalescer.join("a", waiter: 1)))
        _ = coalescer.join("a", waiter: 2)
        #expect(coalescer.leave(1) == .keep(id))
        #expect(coalescer.leave(1) == .keep(nil))
        #expect(coalescer.leave(2) == .cancel(id))
    }

    @Test func `a waiter that joins after the work was cancelled starts new work`() throws {
        var coalescer = Subject()
        let first = try #require(started(coalescer.join("a", waiter: 1)))
        _ = coalescer.leave(1)
        let second = try #require(started(coalescer.join("a", waiter: 2)))
        #expect(first != second)
        #expect(coalescer.finish(first) == [])
        #expect(coalescer.deliver(7, from: second) == [2])
    }

    @Test func `a waiter that must not wait for running work starts other work for later ones`() throws {
        var coalescer = Subject()
        let first = try #require(started(coalescer.join("a", waiter: 1)))
        let second = try #require(started(coalescer.join("a", waiter: 2, mayWait: false)))
        guard case .wait(second) = coalescer.join("a", waiter: 3) else {
            Issue.record("did not join"); return
        }
        #expect(coalescer.deliver(7, from: first) == [1])
        #expect(coalescer.finish(first) == [])
        #expect(Set(coalescer.deliver(8, from: second)) == [2, 3])
    }

    @Test func `a result is delivered once and the last one serves waiters before the work ends`() throws {
        var coalescer = Subject()
        let id = try #require(started(coalescer.join("a", waiter: 1)))
        #expect(coalescer.deliver(7, from: id) == [1])
        #expect(coalescer.deliver(8, from: id) == [])
        guard case .take(8, from: id) = coalescer.join("a", waiter: 2) else {
            Issue.record("not served"); return
        }
        #expect(coalescer.finish(id) == [])
        #expect(coalescer.isIdle)
        #expect(started(coalescer.join("a", waiter: 3)) != nil)
    }

    @Test func `finishing work without a result returns the remaining waiters`() throws {
        var coalescer = Subject()
        let id = try #require(started(coalescer.join("a", waiter: 1)))
        _ = coalescer.join("a", waiter: 2)
        #expect(Set(coalescer.finish(id)) == [1, 2])
        #expect(coalescer.leave(1) == .keep(nil))
    }
}
