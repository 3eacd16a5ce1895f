import CalotypeLoading
import CalotypeTesting
import FoundationEssentials
import LoopbackOrigin
import TestSupport
import Testing

/// Concurrent loads over shared connections, which must not affect each other.
@Suite(
    .waiting,
    .enabled(if: NginxServer.isInstalled, "nginx is not installed: Scripts/setup installs it")
)
struct `Loads over HTTP/2` {
    private static let large = sampleBytes(8 << 20)
    private static let small = sampleBytes(20_000)
    private static let routes = [
        "/large": OriginResponse.body(large), "/small": .body(small),
        "/broken": .body(large, resetAfter: 30_000),
        "/held": .body(large).held(by: OriginGate()),
    ]

    @Test func `two hundred concurrent loads share a few connections`() async throws {
        let made = try TestCertificate()
        try await withTLSOrigin(made, trusting: made, Self.routes) { origin, loader async throws in
            // The first load negotiates HTTP/2.
            _ = try await loader.data(origin.url("/small"))
            try await withThrowingTaskGroup(of: Data.self) { group in
                for _ in 1...200 { group.addTask { try await loader.data(origin.url("/small")) } }
                for try await bytes in group { #expect(bytes == Self.small) }
            }
            #expect(origin.connectionCount(ofRequests: 201) <= 6)
            #expect(await origin.origin.activity.snapshot.requests.count == 201)
        }
    }

    @Test func `a paused reader does not block the others`() async throws {
        let made = try TestCertificate()
        try await withTLSOrigin(made, trusting: made, Self.routes) { origin, loader async throws in
            let resting = try await loader.response(for: FetchRequest(url: origin.url("/large")))
            var chunks = resting.body.makeAsyncIterator()
            var bytes = try #require(try await chunks.next())
            // More than all flow-control windows of the connection together.
            for _ in 1...3 { #expect(try await loader.data(origin.url("/large")) == Self.large) }
            while let chunk = try await chunks.next() { bytes += chunk }
            #expect(bytes == Self.large)
            #expect(origin.connectionCount(ofRequests: 4) == 2)
        }
    }

    @Test func `an aborted stream is a lost connection, as without streams`() async throws {
        let made = try TestCertificate()
        try await withTLSOrigin(made, trusting: made, Self.routes) { origin, loader async throws in
            let error = await failure { try await loader.data(origin.url("/broken")) }
            #expect(error?.code == .connectionLost && error?.isRetryable == true)
            #expect(try await loader.data(origin.url("/small")) == Self.small)
        }
    }

    @Test func `a cancelled load does not affect the others`() async throws {
        let made = try TestCertificate()
        try await withTLSOrigin(made, trusting: made, Self.routes) { origin, loader async throws in
            _ = try await loader.data(origin.url("/small"))
            let loads = (0..<20).map { number in
                Task { try await loader.data(origin.url(number % 2 == 0 ? "/held" : "/large")) }
            }
            for load in loads.enumerated() where load.offset % 2 == 0 { load.element.cancel() }
            for load in loads.enumerated() {
                if load.offset % 2 == 0 {
                    await #expect(throws: (any Error).self) { try await load.element.value }
                } else {
                    #expect(try await load.element.value == Self.large)
                }
            }
            #expect(try await loader.data(origin.url("/small")) == Self.small)
        }
    }

    @Test func `connections of cancelled loads are closed`() async throws {
        let made = try TestCertificate()
        try await withTLSOrigin(made, trusting: made, Self.routes) { origin, loader async throws in
            for _ in 1...3 {
                let load = Task { try await loader.data(origin.url("/held")) }
                await openSockets(toPort: origin.port) { $0 > 0 }
                load.cancel()
                await #expect(throws: CancellationError.self) { try await load.value }
                // The server keeps idle connections open for longer than any test runs.
                await openSockets(toPort: origin.port) { $0 == 0 }
            }
        }
    }
}

/// Waits until the number of local connections to a port meets a condition.
private func openSockets(toPort port: Int, meet condition: (Int) -> Bool) async {
    // The remote address is the third column, the state the fourth; 01 is an open connection.
    let digits = String(port, radix: 16, uppercase: true)
    let suffix = ":" + String(repeating: "0", count: 4 - digits.count) + digits
    while true {
        let table = FileManager.default.contents(atPath: "/proc/self/net/tcp") ?? Data()
        let count = String(decoding: table, as: UTF8.self).split(separator: "\n").count { line in
            let columns = line.split(separator: " ")
            return columns.count > 3 && columns[2].hasSuffix(suffix) && columns[3] == "01"
        }
        if condition(count) { return }
        await Task.yield()
    }
}
