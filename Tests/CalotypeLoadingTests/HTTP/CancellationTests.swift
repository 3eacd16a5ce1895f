import CalotypeLoading
import FoundationEssentials
import LoopbackOrigin
import TestSupport
import Testing

@Suite(.gated)
struct Cancellation {
    @Test func `cancelling before the header closes the connection`() async throws {
        let gate = OriginGate()
        try await withOrigin(["/": OriginResponse().held(by: gate)]) { origin, loader async throws in
            let load = Task { try await loader.data(origin.url("/")) }
            await gate.arrived()
            load.cancel()
            await #expect(throws: CancellationError.self) { try await load.value }
            await origin.activity.until { $0.closedCount == 1 }
        }
    }

    @Test func `cancelling within the body closes the connection`() async throws {
        let gate = OriginGate()
        let response = OriginResponse(framing: .chunked, steps: [.bytes(sampleBytes(100)), .wait(gate)])
        try await withOrigin(["/": response]) { origin, loader async throws in
            let load = Task { try await loader.data(origin.url("/")) }
            await gate.arrived()
            load.cancel()
            await #expect(throws: CancellationError.self) { try await load.value }
            await origin.activity.until { $0.closedCount == 1 }
        }
    }

    @Test func `an already cancelled task loads nothing`() async throws {
        try await withOrigin(["/": OriginResponse()]) { origin, loader async throws in
            let load = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                return try await loader.data(origin.url("/"))
            }
            await #expect(throws: CancellationError.self) { try await load.value }
            #expect(await origin.activity.snapshot.requests.isEmpty)
        }
    }

    @Test func `dropping an unread body closes the connection`() async throws {
        let gate = OriginGate()
        let response = OriginResponse(
            framing: .announced(1 << 25),
            steps: [.bytes(sampleBytes(100)), .wait(gate)]
        )
        try await withOrigin(["/": response]) { origin, loader async throws in
            _ = try await loader.response(for: FetchRequest(url: origin.url("/")))
            await origin.activity.until { $0.closedCount == 1 }
        }
    }

    @Test func `leaving the loop over a body closes the connection`() async throws {
        let gate = OriginGate()
        let response = OriginResponse(
            framing: .announced(1 << 25),
            steps: [.bytes(sampleBytes(100)), .wait(gate)]
        )
        try await withOrigin(["/": response]) { origin, loader async throws in
            let response = try await loader.response(for: FetchRequest(url: origin.url("/")))
            for try await chunk in response.body {
                #expect(!chunk.isEmpty)
                break
            }
            await origin.activity.until { $0.closedCount == 1 }
            // Held until here, so that the response did not release it.
            #expect(response.status == 200)
        }
    }

    @Test func `cancelling a waiting load does not affect the others`() async throws {
        let gate = OriginGate()
        let routes = ["/slow": OriginResponse().held(by: gate), "/": .body(sampleBytes(1))]
        let configuration = HTTPDataLoader.Configuration.with { $0.maxFetchConcurrency = 1 }
        try await withOrigin(routes, configuration) { origin, loader async throws in
            let slow = Task { try await loader.data(origin.url("/slow")) }
            await gate.arrived()
            let waiting = (1...3).map { _ in Task { try await loader.data(origin.url("/")) } }
            waiting[1].cancel()
            await #expect(throws: CancellationError.self) { try await waiting[1].value }
            await gate.open()
            #expect(try await slow.value.isEmpty)
            #expect(try await waiting[0].value == sampleBytes(1))
            #expect(try await waiting[2].value == sampleBytes(1))
            #expect(await origin.activity.snapshot.requests.count == 3)
        }
    }

    @Test func `a fully read body returns its permit while the response is still held`() async throws {
        let configuration = HTTPDataLoader.Configuration.with { $0.maxFetchConcurrency = 1 }
        try await withOrigin(["/": .body(sampleBytes(10))], configuration) { origin, loader async throws in
            let first = try await loader.response(for: FetchRequest(url: origin.url("/")))
            #expect(try await first.collected().count == 10)
            #expect(try await loader.data(origin.url("/")).count == 10)
            #expect(first.status == 200)
        }
    }

    @Test func `cancelling while connecting ends the load at once`() async throws {
        // The tunnel ends at a proxy that waits for an HTTP request, but receives TLS.
        let origin = try await LoopbackOrigin.start(routes: [:])
        let silent = try await LoopbackProxy.start(to: origin.port)
        let proxy = try await LoopbackProxy.start(to: silent.port)
        let loader = HTTPDataLoader(
            .with {
                $0.connectTimeout = .seconds(120)
                $0.proxy = .http(host: "127.0.0.1", port: proxy.port)
            }
        )
        let url = try #require(URL(string: "https://silent.test/"))
        let load = Task { try await loader.data(url) }
        _ = await proxy.requests.first { _ in true }
        load.cancel()
        await #expect(throws: CancellationError.self) { try await load.value }
        // The attempt itself ends with its connection, or by its timeout.
        await proxy.close()
        await silent.close()
        await origin.close()
        await loader.shutdown()
    }

    @Test(arguments: [true, false])
    func `the origin sees a cancellation within 100 ms`(isBeforeHead: Bool) async throws {
        var delays: [Duration] = []
        // Until one is fast enough: on a busy machine a thread may wait longer for its turn.
        for _ in 1...100 where !delays.contains(where: { $0 < .milliseconds(100) }) {
            let gate = OriginGate()
            let answer =
                isBeforeHead
                ? OriginResponse().held(by: gate)
                : OriginResponse(framing: .chunked, steps: [.bytes(sampleBytes(100)), .wait(gate)])
            try await withOrigin(["/": answer]) { origin, loader async throws in
                let load = Task { try await loader.data(origin.url("/")) }
                await gate.arrived()
                let start = ContinuousClock.now
                load.cancel()
                await origin.activity.until { $0.closedCount == 1 }
                delays.append(start.duration(to: .now))
                await #expect(throws: CancellationError.self) { try await load.value }
            }
        }
        #expect(delays.contains { $0 < .milliseconds(100) }, "\(delays)")
    }
}
