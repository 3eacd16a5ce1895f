import CalotypeSupport
import CalotypeTesting
import CalotypeTransfer
import TestSupport
import Testing

@testable import CalotypeLoading

@Suite(.gated)
struct `Names of hosts` {
    private let resolver = GatedResolver()
    private let time = MovedTime()

    private func cache() -> NameCache {
        let lookups = resolver.lookups(LookupLimits(runningCount: 64), time)
        return NameCache({ try await lookups.addresses(of: $0) }, now: { [time] in time.now })
    }

    private func ask(_ cache: NameCache, _ name: String) -> Task<[IPAddress], any Error> {
        Task.immediate { try await cache.addresses(of: name, within: .seconds(3600), ContinuousClock()) }
    }

    @Test func `concurrent callers share one lookup`() async throws {
        let cache = cache()
        let asking = (1...50).map { _ in ask(cache, "a.test") }
        await resolver.begun(1)
        resolver.end("a.test")
        for task in asking { #expect(try await task.value == [.v4(1)]) }
        #expect(try await ask(cache, "a.test").value == [.v4(1)])
        #expect(resolver.names == ["a.test"])
    }

    @Test func `an entry is used for 30 seconds, then while it is looked up again`() async throws {
        let cache = cache()
        let first = ask(cache, "a.test")
        await resolver.begun(1)
        resolver.end("a.test")
        #expect(try await first.value == [.v4(1)])
        time.advance(by: .seconds(29))
        #expect(try await ask(cache, "a.test").value == [.v4(1)])
        #expect(resolver.names.count == 1)
        time.advance(by: .seconds(2))
        // The pending refresh is not waited for.
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

    @Test func `dead names of one site do not delay other names`() async throws {
        let cache = cache()
        let dead = (1...50).map { ask(cache, "n\($0).dead.co.test") }
        await resolver.begun(50)
        let healthy = ask(cache, "shop.co.test")
        await resolver.begun(51)
        resolver.end("shop.co.test")
        #expect(try await healthy.value == [.v4(51)])
        for task in dead { task.cancel() }
        for task in dead { await #expect(throws: CancellationError.self) { try await task.value } }
    }

    @Test func `a failed refresh leaves the older entry in use`() async throws {
        let cache = cache()
        let first = ask(cache, "none.test")
        await resolver.begun(1)
        resolver.end("none.test", .success([.v4(7)]))
        #expect(try await first.value == [.v4(7)])
        time.advance(by: .seconds(31))
        #expect(try await ask(cache, "none.test").value == [.v4(7)])
        await resolver.begun(2)
        resolver.end("none.test")
        // A failed refresh allows another one to start.
        while resolver.names.count < 3 {
            #expect(try await ask(cache, "none.test").value == [.v4(7)])
            await Task.yield()
        }
    }

    @Test func `a cancelled caller returns at once, and the others get their addresses`() async throws {
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
    func `an address is formatted as it is parsed`(address: IPAddress, text: String) {
        #expect(address.urlText == text)
        #expect(IPAddress(literal: text) == address)
    }
}
