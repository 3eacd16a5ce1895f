import CalotypeSupport
import CalotypeTesting
import CalotypeTransfer
import FoundationEssentials
import LoopbackOrigin
import TestSupport
import Testing

@testable import CalotypeLoading

@Suite(.gated)
struct `Loads under an address policy` {
    private static let publicOnly = HTTPDataLoader.Configuration.with { $0.addressPolicy = .publicOnly }

    @Test(arguments: [
        "127.0.0.1", "127.1", "127.0.1", "2130706433", "0x7f000001", "0x7F.0.0.1", "0177.0.0.1",
        "017700000001",
        "localhost", "LOCALHOST", "0", "0.0.0.0", "%31%32%37.0.0.1", "[::1]", "[0:0:0:0:0:0:0:1]",
        "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[::127.0.0.1]", "[64:ff9b::7f00:1]", "[2002:7f00:1::1]",
        "[fe80::1%25lo]", "10.1.2.3", "169.254.169.254", "192.168.1.1", "[fd00::1]",
    ])
    func `no spelling of a non-public address is connected to`(host: String) async throws {
        try await withOrigin(["/": .body(Data())], Self.publicOnly) { origin, loader async throws in
            let url = try #require(URL(string: "http://\(host):\(origin.port)/"))
            let error = await failure { try await loader.data(url) }
            #expect(error?.code == .addressRefused)
            #expect(error?.isRetryable == false)
            #expect(await origin.activity.snapshot.openedCount == 0)
        }
    }

    @Test(arguments: ["127.0.0.1", "127.1", "2130706433", "0x7f.1", "0177.0.0.1", "localhost"])
    func `any address may be loaded from by default`(host: String) async throws {
        try await withOrigin(["/": .body(sampleBytes(3))]) { origin, loader async throws in
            let url = try #require(URL(string: "http://\(host):\(origin.port)/"))
            #expect(try await loader.data(url) == sampleBytes(3))
        }
    }

    @Test func `a name is refused if one of its addresses is`() async throws {
        let addresses = ["93.184.215.14", "2606:4700::1111", "10.0.0.7"].compactMap { IPAddress(literal: $0) }
        for refused in [true, false] {
            var surroundings = HTTPDataLoader.Surroundings()
            surroundings.resolve = { _ in Array(addresses.prefix(refused ? 3 : 2)) }
            // The address has no listener; a load that fails there was not refused.
            surroundings.connectionHosts = ["several.test": "127.0.0.1"]
            let loader = HTTPDataLoader(
                .with { $0.addressPolicy = refused ? .publicOnly : .any },
                surroundings
            )
            let url = try #require(URL(string: "http://several.test:1/"))
            let error = await failure { try await loader.data(url) }
            #expect(error?.code == (refused ? .addressRefused : .connectionFailed))
            await loader.shutdown()
        }
    }

    @Test func `a name that resolves differently at connection time is not connected to`() async throws {
        let origin = try await LoopbackOrigin.start(routes: ["/": .body(sampleBytes(3))])
        var surroundings = HTTPDataLoader.Surroundings()
        let lookups = Guarded<[String]>([])
        surroundings.resolve = { name in
            lookups.withLock { $0.append(name) }
            return [.v4(0x5DB8_D70E)]
        }
        surroundings.connectionHosts = ["rebound.test": "127.0.0.1"]
        // Lookups are cached while the clock is stopped.
        let instant = ContinuousClock.now
        surroundings.now = { instant }
        let loader = HTTPDataLoader(Self.publicOnly, surroundings)
        let url = try #require(URL(string: "http://rebound.test:\(origin.port)/"))
        for _ in 1...3 {
            let error = await failure { try await loader.data(url) }
            #expect(error?.code == .addressRefused)
        }
        await origin.activity.until { $0.closedCount == $0.openedCount }
        #expect(await origin.activity.snapshot.requests.isEmpty)
        #expect(lookups.withLock { $0 } == ["rebound.test"])
        await loader.shutdown()
        await origin.close()
    }

    @Test func `a redirect to a non-public address is refused`() async throws {
        let inner = try await LoopbackOrigin.start(routes: ["/": .body(sampleBytes(3))])
        let hop = try HTTPHop(FetchRequest(url: try #require(URL(string: "http://a.test/"))), Self.publicOnly)
        let head = try HTTPResponseHeader(
            status: 302,
            fields: [HeaderField("Location", inner.url("/").absoluteString)]
        )
        let next = try hop.redirected(by: head, maxCount: 5)
        var surroundings = HTTPDataLoader.Surroundings()
        surroundings.resolve = { _ in [.v4(0x5DB8_D70E)] }
        let names = HostNames(Self.publicOnly, surroundings)
        _ = try await names.addresses(of: hop, within: .seconds(60))
        #expect(
            await failure { try await names.addresses(of: next, within: .seconds(60)) }?.code
                == .addressRefused
        )
        #expect(await inner.activity.snapshot.openedCount == 0)
        await inner.close()
    }

    @Test func `cancelling abandons a hanging lookup`() async throws {
        let asked = AsyncStream.makeStream(of: Void.self)
        var surroundings = HTTPDataLoader.Surroundings()
        surroundings.resolve = { _ in
            asked.continuation.yield()
            for await _ in AsyncStream<Void>.makeStream().stream {}
            throw CancellationError()
        }
        let loader = HTTPDataLoader(Self.publicOnly, surroundings)
        let url = try #require(URL(string: "http://slow.test/"))
        let load = Task { try await loader.data(url) }
        for await _ in asked.stream { break }
        load.cancel()
        await #expect(throws: CancellationError.self) { try await load.value }
        await loader.shutdown()
    }

    @Test func `a slow lookup times out`() async throws {
        var surroundings = HTTPDataLoader.Surroundings()
        surroundings.resolve = { _ in
            for await _ in AsyncStream<Void>.makeStream().stream {}
            throw CancellationError()
        }
        let clock = ManualClock()
        surroundings.clock = clock
        let loader = HTTPDataLoader(Self.publicOnly, surroundings)
        let url = try #require(URL(string: "http://slow.test/"))
        let load = Task { try await loader.data(url) }
        let timeout = Self.publicOnly.connectTimeout
        #expect(await clock.nextSleep() == timeout)
        clock.advance(by: timeout)
        #expect(await failure { try await load.value }?.code == .timedOut)
        await loader.shutdown()
    }

    @Test func `the system resolver returns all addresses, or an error that names the host`() async throws {
        let loopback: Set<IPAddress> = [.v4(0x7F00_0001), .v6(high: 0, low: 1)]
        #expect(loopback.isSuperset(of: try await NameLookups.shared.addresses(of: "localhost")))
        let error = await failure { try await NameLookups.shared.addresses(of: "no-such-host.invalid") }
        #expect(error?.code == .hostNotFound)
        #expect(error?.detail.contains("no-such-host.invalid") == true)
        let cancelled = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await NameLookups.shared.addresses(of: "localhost")
        }
        await #expect(throws: CancellationError.self) { try await cancelled.value }
    }
}
