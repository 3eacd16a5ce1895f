import CalotypeCore
import CalotypeLoading
import CalotypeSupport
import CalotypeTesting
import Foundation
import Glibc
import LoopbackOrigin
import TestSupport
import Testing

@testable import CalotypeCLI

@Suite(.gated) struct ServeLimitsEndToEndTests {
    private static let threads = BlockingPool(width: 4, name: "limits")
    private let folder: ScratchFolder

    init() throws { folder = try ScratchFolder() }

    /// Runs a body beside a service and an origin with images `/0.jpg` and so on.
    private func withService(
        descriptors: Int? = nil,
        _ options: [String] = [],
        _ body: (RunningService, LoopbackOrigin) async throws -> Void
    ) async throws {
        var routes: [String: OriginResponse] = [:]
        for number in 0..<60 {
            let size = PixelSize(width: 60 + number, height: 40)
            routes["/\(number).jpg"] = .body(try Pictures.jpeg(size, seed: UInt64(number + 1)))
        }
        let origin = try await LoopbackOrigin.start(routes: routes)
        let own = ["--allow-private-sources", "--cache-dir", "\(folder.path)/cache"]
        let service = try await RunningService.start(own + options, descriptors: descriptors)
        let result = await Result { () async throws -> Void in try await body(service, origin) }
        await service.end(by: SIGKILL)
        await origin.close()
        try result.get()
    }

    private static func request(_ target: String) -> String {
        "GET \(target) HTTP/1.1\r\nHost: a.test\r\n\r\n"
    }

    @Test func `a service with few descriptors survives hundreds of connections with misses, and recovers`()
        async throws
    {
        try await withService(descriptors: 256) { service, origin async throws in
            let port = service.port
            let kept = try await Self.threads.run { () throws -> [RawConnection] in
                try (0..<300).map { _ in
                    let connection = try RawConnection(port: port)
                    connection.send(Self.request("/health"))
                    return connection
                }
            }
            for round in 0..<2 {
                // On kept connections, as far as the service has kept them, and on new ones.
                let targets = (0..<25).map { number in
                    "/unsafe/w:20/plain/\(origin.url("/\(25 * round + number).jpg").absoluteString)"
                }
                await Self.threads.run {
                    for (connection, target) in zip(kept.suffix(25), targets) {
                        connection.send(Self.request(target))
                    }
                }
                for target in targets {
                    let (answer, _) = try await service.get(target)
                    #expect(answer.status == 200, "\(target)")
                    #expect(try service.descriptorCount < 250)
                }
            }
            for connection in kept { connection.close() }
            while try await service.metric("calotype_connections") > 3 { await Task.yield() }
            let (answer, _) = try await service.get("/health")
            #expect(answer.status == 200)
        }
    }

    @Test func `a half-closing client gets a cached image`() async throws {
        try await withService { service, origin async throws in
            let target = "/unsafe/w:20/plain/\(origin.url("/1.jpg").absoluteString)"
            #expect(try await service.get(target).answer.status == 200)
            let port = service.port
            for path in [target, "/health"] {
                let received = try await Self.threads.run { () throws -> String in
                    let connection = try RawConnection(port: port)
                    defer { connection.close() }
                    connection.send(Self.request(path))
                    connection.endSending()
                    return connection.receive(until: "never")
                }
                #expect(received.hasPrefix("HTTP/1.1 200 "), "\(path): \(received.prefix(200))")
            }
        }
    }

    /// The maximum growth by 1,000 unfinished requests, and after their clients have left.
    private static let maxGrowth = (during: 150 << 20, after: 48 << 20)

    @Test func `memory of unfinished requests is released`() async throws {
        #expect(DescriptorLimit.raise() > 2_048)
        let filler = String(repeating: "a", count: 30_000)
        // A debug build takes ten milliseconds or more for a connection of 1,000 chunks.
        let connectionCount = Soak.isRequested ? 1_000 : 200
        let chunk = "1\r\na\r\n"
        let starts = [
            "GET /\(filler)", "GET / HTTP/1.1\r\nHost: a\r\nX: \(filler)",
            "POST /unsafe/x HTTP/1.1\r\nHost: a\r\nContent-Length: 65000\r\n\r\n\(filler)\(filler)",
            "POST /unsafe/x HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
                + String(repeating: chunk, count: 1_000),
        ]
        try await withService { service, _ async throws in
            let port = service.port
            _ = try await service.get("/health")
            let before = try service.residentByteCount
            for round in 0..<2 {
                for start in starts {
                    let connections = try await Self.threads.run { () throws -> [RawConnection] in
                        try (0..<connectionCount).map { _ in
                            let connection = try RawConnection(port: port)
                            connection.send(start)
                            return connection
                        }
                    }
                    while try await service.metric("calotype_connections") < Double(connectionCount) {
                        await Task.yield()
                    }
                    let peak = try service.peakResidentByteCount - before
                    let label: Comment = "\(round) \(start.prefix(20)): \(peak >> 20) MiB"
                    #expect(peak < Self.maxGrowth.during, label)
                    for connection in connections { connection.close() }
                    while try await service.metric("calotype_connections") > 3 { await Task.yield() }
                }
            }
            // The memory is released on a thread of its own.
            var held = Int.max
            for _ in 0..<200 where held > Self.maxGrowth.after {
                _ = try await service.get("/health")
                held = try service.residentByteCount - before
            }
            #expect(held <= Self.maxGrowth.after, "\(held >> 20) MiB")
        }
    }

    @Test func `a connection limit above the descriptor limit is capped, and logged at the start`()
        async throws
    {
        try await withService(descriptors: 256, ["--connections", "1000000"]) { service, _ async throws in
            #expect((1..<256).contains(service.connectionLimit), "\(service.connectionLimit)")
        }
    }
}
