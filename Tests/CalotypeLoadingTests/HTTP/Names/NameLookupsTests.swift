import CalotypeSupport
import CalotypeTesting
import CalotypeTransfer
import TestSupport
import Testing

@testable import CalotypeLoading

@Suite(.gated)
struct `Lookups of names` {
    private let resolver = GatedResolver()
    private let time = MovedTime()

    private func ask(_ lookups: NameLookups, _ name: String) -> Task<[IPAddress], any Error> {
        Task.immediate { try await lookups.addresses(of: name) }
    }

    private func ask(_ lookups: NameLookups, _ names: [String]) -> [Task<[IPAddress], any Error>] {
        names.map { ask(lookups, $0) }
    }

    private func cancel(_ tasks: [Task<[IPAddress], any Error>]) async {
        for task in tasks { task.cancel() }
        // One that has not started has an error of its own.
        for task in tasks { await #expect(throws: (any Error).self) { try await task.value } }
    }

    private func end(_ names: [String], after duration: Duration) {
        time.advance(by: duration)
        for name in names { resolver.end(name) }
    }

    private func names(_ count: Int, _ suffix: String) -> [String] {
        (0..<count).map { "n\($0).\(suffix)" }
    }

    @Test(arguments: [true, false])
    func `dead names do not delay a healthy name while they run`(isOneSite: Bool) async throws {
        let lookups = resolver.lookups(LookupLimits(runningCount: 512), time)
        let dead = isOneSite ? names(447, "dead.co.test") : (0..<447).map { "n.dead\($0).test" }
        let asking = ask(lookups, dead)
        await resolver.begun(447)
        await cancel(asking)
        let healthy = ask(lookups, "shop.co.test")
        await resolver.begun(448)
        resolver.end("shop.co.test")
        #expect(try await healthy.value == [.v4(448)])
    }

    @Test func `a name that resolved promptly is looked up despite any number of dead names`() async throws {
        let lookups = resolver.lookups(LookupLimits(runningCount: 64), time)
        let first = ask(lookups, "shop.test")
        await resolver.begun(1)
        resolver.end("shop.test")
        _ = try await first.value
        let asking = ask(lookups, names(900, "dead.test"))
        await resolver.begun(57)
        let again = ask(lookups, "shop.test")
        await resolver.begun(58)
        resolver.end("shop.test")
        #expect(try await again.value == [.v4(58)])
        await cancel(asking)
        #expect(resolver.names.count == 58)
    }

    @Test func `known slow names leave most lookups to others`() async throws {
        let lookups = resolver.lookups(LookupLimits(runningCount: 64), time)
        let dead = (0..<56).map { "none.dead\($0).test" }
        let asking = ask(lookups, dead)
        await resolver.begun(56)
        end(dead, after: .seconds(10))
        for task in asking { #expect(await failure { try await task.value }?.code == .hostNotFound) }

        let again = ask(lookups, dead)
        await resolver.begun(56 + 16)
        let new = names(40, "new.test")
        let asked = ask(lookups, new)
        await resolver.begun(56 + 16 + 40)
        for name in new { resolver.end(name) }
        for task in asked { _ = try await task.value }
        await cancel(again)
        #expect(resolver.names.count == 56 + 16 + 40)
    }

    @Test func `names without callers are not looked up`() async throws {
        let lookups = resolver.lookups(LookupLimits(runningCount: 64), time)
        let dead = names(1000, "dead.test")
        let asking = ask(lookups, dead)
        await resolver.begun(56)
        await cancel(asking)
        end(dead, after: .seconds(10))
        let healthy = ask(lookups, "a.test")
        await resolver.begun(57)
        resolver.end("a.test")
        _ = try await healthy.value
        #expect(resolver.names.count == 57)
    }

    @Test func `each completed lookup starts the next`() async throws {
        let lookups = resolver.lookups(LookupLimits(runningCount: 1), time)
        let asking = ask(lookups, ["a.test", "none.b.test", "c.test"])
        for (index, name) in ["a.test", "none.b.test", "c.test"].enumerated() {
            await resolver.begun(index + 1)
            resolver.end(name)
        }
        #expect(try await asking[0].value == [.v4(1)])
        #expect(await failure { try await asking[1].value }?.code == .hostNotFound)
        #expect(try await asking[2].value == [.v4(3)])
    }

    @Test func `a name above the limit of waiting names is refused`() async throws {
        let lookups = resolver.lookups(LookupLimits(runningCount: 8, waitingNameCount: 10), time)
        let asking = ask(lookups, names(17, "dead.test"))
        let refused = await failure { try await ask(lookups, "late.test").value }
        #expect(refused?.code == .overloaded)
        #expect(refused?.detail.contains("“late.test”") == true)
        // A name with a running lookup needs no further one.
        let joined = ask(lookups, "n0.dead.test")
        // A cancelled name frees its capacity.
        await cancel([asking[16]])
        let next = ask(lookups, "next.test")
        await cancel(Array(asking[..<16]) + [joined, next])
    }

    @Test func `callers above the limit of waiters are refused`() async throws {
        let limits = LookupLimits(runningCount: 8, waitingNameCount: 10, waiterCount: 4)
        let lookups = resolver.lookups(limits, time)
        let asking = ask(lookups, ["a.test", "a.test", "a.test"])
        // A name may use three quarters of the waiter capacity.
        #expect(await failure { try await ask(lookups, "a.test").value }?.code == .overloaded)
        let other = ask(lookups, ["b.test"])
        #expect(await failure { try await ask(lookups, "c.test").value }?.code == .overloaded)
        await cancel(other)
        await cancel(asking)
    }

    @Test func `an overlong name is not looked up`() async throws {
        let lookups = resolver.lookups(LookupLimits(runningCount: 8), time)
        let long = String(repeating: "a.", count: 128)
        #expect(await failure { try await ask(lookups, long).value }?.code == .hostNotFound)
        #expect(resolver.names.isEmpty)
    }

    @Test func `a cancelled caller starts no lookup`() async throws {
        let lookups = resolver.lookups(LookupLimits(runningCount: 8), time)
        let cancelled = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await lookups.addresses(of: "a.test")
        }
        await #expect(throws: CancellationError.self) { try await cancelled.value }
        #expect(resolver.names.isEmpty)
    }
}
