import CalotypeLoading
import CalotypeSupport
import CalotypeTesting
import FoundationEssentials
import LoopbackOrigin
import TestSupport
import Testing

@Suite(.gated)
struct `Exactly once` {
    private enum End: Hashable, Sendable {
        case bytes
        case failed(FetchError.Code)
        case cancelled
    }

    private static let body = sampleBytes(40_000)

    /// Paths with the outcome of an uncancelled load.
    private static let routes: [String: (response: OriginResponse, end: End)] = [
        "/whole": (.body(body), .bytes),
        "/chunked": (.chunked([body.prefix(10_000), body.dropFirst(10_000)]), .bytes),
        "/redirect": (.redirect(to: "/whole"), .bytes),
        "/loop": (.redirect(to: "/loop"), .failed(.redirectRefused)),
        "/missing": (.status(404), .failed(.unacceptableStatus)),
        "/broken": (.status(500), .failed(.unacceptableStatus)),
        "/reset": (.body(body, resetAfter: 20_000), .failed(.connectionLost)),
        "/short": (.body(body, announcing: 50_000), .failed(.lengthMismatch)),
        "/garbage": (.raw(Data("nothing\r\n\r\n".utf8)), .failed(.invalidResponse)),
    ]

    @Test(arguments: [UInt64(1), 2, 3])
    func `every load ends once under any cancellations`(seed: UInt64) async throws {
        let stall = OriginGate()
        var routes = Self.routes.mapValues(\.response)
        routes["/stall"] = OriginResponse(framing: .chunked, steps: [.bytes(Self.body), .wait(stall)])
        try await withOrigin(routes) { origin, loader async throws in
            var random = SeededGenerator(seed: seed)
            let paths = Self.routes.keys.sorted() + ["/stall"]
            try await withThrowingTaskGroup { group in
                for _ in 1...300 {
                    let path = paths[Int.random(in: 0..<paths.count, using: &random)]
                    // A stalling load must be cancelled at some time, or it would never end.
                    let isCancelled = path == "/stall" || Bool.random(using: &random)
                    let patience = Int.random(in: 0...60, using: &random)
                    let load = Task { try await Self.end(of: origin.url(path), loader) }
                    if isCancelled {
                        group.addTask {
                            for _ in 0..<patience { await Task.yield() }
                            load.cancel()
                        }
                    }
                    group.addTask {
                        let end = try await load.value
                        let expected = Self.routes[path]?.end
                        #expect(end == expected || isCancelled && end == .cancelled, "\(path), seed \(seed)")
                    }
                }
                try await group.waitForAll()
            }
            #expect(await origin.activity.snapshot.requests.count > 0)
        }
    }

    @Test func `after all loads are cancelled no connection has a running response`() async throws {
        let stall = OriginGate()
        try await withOrigin(["/": OriginResponse().held(by: stall)]) { origin, loader async throws in
            let loads = (1...200).map { _ in Task { try await loader.data(origin.url("/")) } }
            await stall.arrived(count: 6)
            for load in loads { load.cancel() }
            for load in loads {
                await #expect(throws: CancellationError.self) { try await load.value }
            }
            // A connection that opened after all loads were cancelled waits for the next load.
            await origin.activity.until { $0.closedCount >= 6 }
        }
    }

    private static func end(of url: URL, _ loader: HTTPDataLoader) async throws -> End {
        do {
            let data = try await loader.data(url)
            #expect(data == body)
            return .bytes
        } catch let error as FetchError {
            return .failed(error.code)
        } catch is CancellationError {
            return .cancelled
        }
    }
}
