import CalotypeSupport
import CalotypeTesting
import CalotypeTransfer
import Testing

@testable import CalotypeLoading

@Suite(.timeLimit(.minutes(20)))
struct `Names of hosts` {
    /// A resolver whose look-ups end when they are told to, each with an address of its own.
    private final class Resolver: Sendable {
        private struct State {
            var names: [String] = []
            var waiting: [String: AsyncStream<Void>.Continuation] = [:]
        }

        private let state = Guarded(State())
        private let asked = AsyncStream.makeStream(of: String.self)

        var names: [String] { state.withLock(\.names) }

        func resolve(_ name: String) async throws -> [IPAddress] {
            let end = AsyncStream.makeStream(of: Void.self)
            let number = state.withLock { state in
                state.names.append(name)
                state.waiting[name] = end.continuation
                return state.names.count
            }
            asked.continuation.yield(name)
            for await _ in end.stream {}
            if name.hasPrefix("none.") { throw FetchError(.hostNotFound, detail: name) }
            return [.v4(UInt32(number))]
        }

        func end(_ name: String) {
            state.withLock { $0.waiting.removeValue(forKey: name) }?.finish()
        }

        /// Returns when so many look-ups have begun in all.
        func begun(_ count: Int) async {
            if names.count >= count { return }
            for await _ in asked.stream where names.count >= count { return }
        }
    }

    /// A clock that a test moves.
    private final class Time: Sendable {
        private let elapsed = Guarded(Duration.zero)
        private let start = ContinuousClock.now

        var now: ContinuousClock.Instant { start + elapsed.withLock { $0 } }

        func advance(by duration: Duration) {
            elapsed.withLock { $0 += duration }
        }
    }

    private let resolver = Resolver()
    private let time = Time()

    private func cache() -> NameCache {
        NameCache({ [resolver] in try await resolver.resolve($0) }, now: { [time] in time.now })
    }

    private func ask(_ cache: NameCache, _ name: String) -> Task<[IPAddress], any Error> {
        Task.immediate { try await cache.addresses(of: name, within: .seconds(3600), ContinuousClock()) }
    }

    @Test func `many who ask at once share one look-up`() async throws {
        let cache = cache()
        let asking = (1...50).map { _ in ask(cache, "a.test") }
        await resolver.begun(1)
        resolver.end("a.test")
        for task in asking { #expect(try await task.value == [.v4(1)]) }
        #expect(try await ask(cache, "a.test").value == [.v4(1)])
        #expect(resolver.names == ["a.test"])
    }

    @Test func `an answer is used for half a minute, then while a new one is looked for`() async throws {
        let cache = cache()
        let first = ask(cache, "a.test")
        await resolver.begun(1)
        resolver.end("a.test")
        #expect(try await first.value == [.v4(1)])
        time.advance(by: .seconds(29))
        #expect(try await ask(cache, "a.test").value == [.v4(1)])
        #expect(resolver.names.count == 1)
        time.advance(by: .seconds(2))
        // Nobody waits for the new one, which does not come.
        #expect(try await ask(cache, "a.test").value == [.v4(1)])
        await resolver.begun(2)
        #expect(try await ask(cache, "a.test").value == [.v4(1)])
        time.advance(by: .seconds(600))
        let late = ask(cache, "a.test")
        resolver.end("a.test")
        #expect(try await late.value == [.v4(2)])
        #expect(resolver.names.count == 2)
    }

    @Test func `a name without an address is looked up again`() async throws {
        let cache = cache()
        for count in 1...2 {
            let asking = ask(cache, "none.test")
            await resolver.begun(count)
            resolver.end("none.test")
            #expect(await failure { try await asking.value }?.code == .hostNotFound)
        }
    }

    @Test func `names of one site that nobody answers for hold up no other`() async throws {
        let cache = cache()
        let slow = (1...10).map { ask(cache, "\($0).slow.test") }
        await resolver.begun(4)
        let other = ask(cache, "a.test")
        await resolver.begun(5)
        resolver.end("a.test")
        #expect(try await other.value == [.v4(5)])
        #expect(Set(resolver.names).subtracting(["a.test"]).count == 4)
        // Each that ends lets the next begin.
        for count in 6...11 {
            for name in resolver.names where name != "a.test" { resolver.end(name) }
            await resolver.begun(count)
        }
        for name in resolver.names { resolver.end(name) }
        for task in slow { _ = try await task.value }
        #expect(resolver.names.count == 11)
    }

    @Test func `who gives up leaves at once, and the others get their answer`() async throws {
        let cache = cache()
        let asking = (1...3).map { _ in ask(cache, "a.test") }
        await resolver.begun(1)
        asking[1].cancel()
        await #expect(throws: CancellationError.self) { try await asking[1].value }
        resolver.end("a.test")
        #expect(try await asking[0].value == [.v4(1)])
        #expect(try await asking[2].value == [.v4(1)])
    }

    @Test(arguments: [
        (IPAddress.v4(0x7F00_0001), "127.0.0.1"), (.v4(0xFFFF_FFFF), "255.255.255.255"), (.v4(0), "0.0.0.0"),
        (.v6(high: 0, low: 1), "[::1]"),
        (.v6(high: 0x2001_0DB8_0000_00FF, low: 0xABCD_0000_0000_0042), "[2001:db8:0:ff:abcd::42]"),
    ])
    func `an address is written as it is read`(address: IPAddress, text: String) {
        #expect(address.urlText == text)
        #expect(IPAddress(literal: text) == address)
    }
}
