import CalotypeLoading
import CalotypeSupport
import FoundationEssentials
import LoopbackOrigin
import TestSupport
import Testing

/// Pooled connections, and changes on the other side while they are idle.
@Suite(.gated)
struct `Kept connections` {
    @Test(arguments: [OriginResponse.Step.close, .reset])
    func `a pooled connection closed at the next request does not fail it`(end: OriginResponse.Step)
        async throws
    {
        let count = Guarded(0)
        let origin = try await LoopbackOrigin.start { _ in
            let number = count.withLock { count in
                count += 1
                return count
            }
            // Like a server that closes an idle connection just when it is used.
            return number == 2 ? OriginResponse(framing: .raw, steps: [end]) : .body(sampleBytes(5))
        }
        let loader = HTTPDataLoader(.patient)
        #expect(try await loader.data(origin.url("/")) == sampleBytes(5))
        #expect(try await loader.data(origin.url("/")) == sampleBytes(5))
        #expect(await origin.activity.snapshot.requests.count == 3)
        #expect(await origin.activity.snapshot.openedCount == 2)
        await loader.shutdown()
        await origin.close()
    }

    @Test func `all pooled connections may be closed`() async throws {
        let gate = OriginGate()
        let isClosing = Guarded(false)
        let seen = Guarded<Set<String>>([])
        let origin = try await LoopbackOrigin.start { request in
            if !isClosing.withLock({ $0 }) { return .body(sampleBytes(5)).held(by: gate) }
            // Each of the pooled connections closes; the seventh is a new one.
            let count = seen.withLock { seen in
                seen.insert("\(seen.count)")
                return seen.count
            }
            return count <= 6 ? OriginResponse(framing: .raw, steps: [.close]) : .body(sampleBytes(5))
        }
        let loader = HTTPDataLoader(.patient)
        let first = (1...6).map { _ in Task { try await loader.data(origin.url("/")) } }
        await gate.arrived(count: 6)
        await gate.open()
        for load in first { #expect(try await load.value.count == 5) }
        isClosing.withLock { $0 = true }
        #expect(try await loader.data(origin.url("/")) == sampleBytes(5))
        await loader.shutdown()
        await origin.close()
    }

    @Test func `a new connection closed without a response is not retried`() async throws {
        try await withOrigin(["/": OriginResponse(framing: .raw, steps: [.close])]) {
            origin,
            loader async throws in
            let error = await failure { try await loader.data(origin.url("/")) }
            #expect(error?.code == .connectionLost)
            #expect(error?.isRetryable == true)
            #expect(await origin.activity.snapshot.requests.count == 1)
        }
    }

    @Test func `a pooled connection closed in the status line is retried once on a new one`() async throws {
        let routes = ["/": OriginResponse.body(sampleBytes(5)), "/half": .raw(Data("HTTP/1.1 2".utf8))]
        try await withOrigin(routes) { origin, loader async throws in
            _ = try await loader.data(origin.url("/"))
            #expect(await failure { try await loader.data(origin.url("/half")) }?.code == .connectionLost)
            #expect(await origin.activity.snapshot.requests.count == 3)
        }
    }

    @Test func `a connection closed by the origin while idle is not reused`() async throws {
        let gate = OriginGate()
        let answer = Data("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc".utf8)
        let closing = OriginResponse(framing: .raw, steps: [.bytes(answer), .wait(gate), .close])
        try await withOrigin(["/closing": closing, "/": .body(sampleBytes(5))]) {
            origin,
            loader async throws in
            #expect(try await loader.data(origin.url("/closing")) == Data("abc".utf8))
            await gate.open()
            await origin.activity.until { $0.closedCount == 1 }
            #expect(try await loader.data(origin.url("/")) == sampleBytes(5))
        }
    }
}
