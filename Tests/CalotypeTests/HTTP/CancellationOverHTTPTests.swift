import Calotype
import CalotypeTesting
import FoundationEssentials
import LoopbackOrigin
import PipelineSupport
import TestSupport
import Testing

/// Cancellation through the whole pipeline to the socket, as the origin sees it.
@Suite(.gated)
struct `Cancelling over HTTP` {
    /// An image whose second half waits at the gate.
    private static func stalled(_ gate: OriginGate) -> OriginResponse {
        let picture = FakeImageDecoder.data(
            width: 40,
            height: 30,
            suffix: String(repeating: "x", count: 1_000)
        )
        return OriginResponse(
            framing: .announced(picture.count),
            steps: [.bytes(picture.prefix(500)), .wait(gate), .bytes(picture.dropFirst(500))]
        )
    }

    private static func sizes(_ bench: HTTPBench) -> [ImageRequest] {
        [10, 20, 40].map { width in
            bench.request("/a.fake") { $0.decoding.target = .fit(PixelBox(width: width)) }
        }
    }

    /// The waiters if each size is requested twice: the callers, and each size for the bytes.
    private static let waiterCount = 6 + 3

    @Test func `cancelling the last waiter closes the connection within 100 ms`() async throws {
        let gate = OriginGate()
        try await HTTPBench.with(origin: { _ in Self.stalled(gate) }) { bench async throws in
            var delays: [Duration] = []
            // Repeated until one round is fast enough: beside other tests a thread may wait for a core.
            for round in 1...100 where !delays.contains(where: { $0 < .milliseconds(100) }) {
                // Several callers and sizes share one download.
                let requests = Self.sizes(bench) + Self.sizes(bench)
                let tasks = requests.map { request in Task { try await bench.pipeline.load(request) } }
                await gate.arrived(count: round)
                while bench.pipeline.waiterCount < Self.waiterCount { await Task.yield() }
                for task in tasks.dropLast() { task.cancel() }
                for task in tasks.dropLast() {
                    await #expect(throws: CancellationError.self) { try await task.value }
                }
                #expect(await bench.origin.activity.snapshot.openCount == 1)
                let start = ContinuousClock.now
                tasks.last?.cancel()
                await bench.origin.activity.until { $0.openCount == 0 }
                delays.append(.now - start)
            }
            #expect(delays.contains { $0 < .milliseconds(100) }, "\(delays)")
        }
    }

    @Test func `cancelling earlier waiters leaves the download to the last one`() async throws {
        let gate = OriginGate()
        try await HTTPBench.with(origin: { _ in Self.stalled(gate) }) { bench async throws in
            let requests = Self.sizes(bench) + Self.sizes(bench)
            let tasks = requests.map { request in Task { try await bench.pipeline.load(request) } }
            await gate.arrived()
            while bench.pipeline.waiterCount < Self.waiterCount { await Task.yield() }
            // Among them the first one, which started the work.
            for task in tasks.dropLast() { task.cancel() }
            for task in tasks.dropLast() {
                await #expect(throws: CancellationError.self) { try await task.value }
            }
            #expect(await bench.origin.activity.snapshot.openCount == 1)
            await gate.open()
            #expect(try await tasks[5].value.image.size.width == 40)
            #expect(await bench.origin.activity.snapshot.requests.count == 1)
        }
    }

    @Test func `a consumer that stops reading events closes the connection`() async throws {
        let gate = OriginGate()
        try await HTTPBench.with(origin: { _ in Self.stalled(gate) }) { bench async throws in
            for try await event in bench.pipeline.events(for: bench.request("/a.fake")) {
                guard case .progress(let progress) = event else { continue }
                #expect(progress.byteCount <= 500)
                break
            }
            await bench.origin.activity.until { $0.openCount == 0 }
        }
    }

    @Test func `a load cancelled while it is queued never reaches the origin`() async throws {
        let gate = OriginGate()
        let change = { (http: inout HTTPDataLoader.Configuration) in http.maxFetchConcurrency = 1 }
        try await HTTPBench.with(http: change, origin: { _ in Self.stalled(gate) }) { bench async throws in
            let first = Task { try await bench.pipeline.load(bench.request("/1")) }
            await gate.arrived()
            let second = Task { try await bench.pipeline.load(bench.request("/2")) }
            second.cancel()
            await #expect(throws: CancellationError.self) { try await second.value }
            await gate.open()
            _ = try await first.value
            #expect(await bench.origin.activity.snapshot.requests.map(\.target) == ["/1"])
        }
    }
}
