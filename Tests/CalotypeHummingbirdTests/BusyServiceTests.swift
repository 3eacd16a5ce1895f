import Calotype
import CalotypeTesting
import FoundationEssentials
import HTTPTypes
import NIOCore
import PipelineSupport
import TestSupport
import Testing

@testable import CalotypeHummingbird
@testable import CalotypeServer

/// A service over sockets whose permits and codec threads are all held, with images queued behind.
private struct BusyBench: Sendable {
    /// The number of codec threads and work permits.
    static let width = 2

    let held = HeldImageDecoder()
    let store = FakeByteStore()
    let service: ImageService
    let statistics = ServiceStatistics()

    init() throws {
        let picture = TestImages.photograph(PixelSize(width: 120, height: 90))
        let (sound, slow) = (try JPEGEncoder().encode(picture), FakeImageDecoder.data(width: 40, height: 30))
        let loader = ScriptedDataLoader { request, _ in
            let isSlow = request.url.path().hasPrefix("/slow")
            return .network(request.url, isSlow ? slow : sound, ["Cache-Control": "max-age=600"])
        }
        var codecs = CodecRegistry.publicWeb
        codecs.register(held)
        let cache = ImageCache(stores: [store], codecs: codecs, maxDecodeConcurrency: Self.width)
        var configuration = ImageService.Configuration.patient
        configuration.encodings.codecs = codecs
        configuration.observer = statistics
        service = ImageService(
            pipeline: ImageService.pipeline(.init(cache: cache, loader: loader), maxWorkCount: Self.width),
            configuration: configuration
        )
    }

    /// Runs a body beside both listeners, with their ports.
    func run(_ body: @escaping @Sendable (_ pictures: Int, _ admin: Int) async throws -> Void) async throws {
        let responder = ServiceResponder(service)
        let place = AdminRoutes.ConsoleInfo(pictures: "http://127.0.0.1:8080", isSigned: false)
        let routes = AdminRoutes(
            service,
            statistics: statistics,
            access: AdminAccess(token: nil),
            place: place
        ) { [service] in service.readings }
        try await ListenerBench.run(
            answersOnEventLoop: true,
            answer: { try await responder.response(to: $0) }
        ) {
            pictures,
            _ in
            try await ListenerBench.run(answer: { try await routes.response(to: $0) }) { admin, _ in
                try await body(pictures, admin)
            }
        }
    }

    static func ask(
        _ port: Int,
        _ path: String,
        _ fields: String...,
        method: String = "GET",
        body: String = ""
    ) async throws -> String {
        let head = ["\(method) \(path) HTTP/1.1", "Host: 127.0.0.1", "Connection: close"] + fields
        let length = body.isEmpty ? [] : ["Content-Length: \(body.utf8.count)"]
        let text = (head + length).joined(separator: "\r\n") + "\r\n\r\n" + body
        return try await RawClient.connect(port).exchange([text])
    }
}

@Suite(.waiting) struct BusyServiceTests {
    private static let kept = "/unsafe/w:30/plain/http://src.test/photo.jpg"

    @Test func `cache hits, health, metrics and purges do not wait for encodes`() async throws {
        let bench = try BusyBench()
        try await bench.run { pictures, admin in
            let first = try await BusyBench.ask(pictures, Self.kept)
            let tag = try #require(first.firstMatch(of: /ETag: (".*")\r\n/)?.1)
            await bench.service.pipeline.untilIdle()
            let clients = (0..<3 * BusyBench.width).map { index in
                Task { try await BusyBench.ask(pictures, "/unsafe/w:9/plain/http://src.test/slow\(index)") }
            }
            while bench.held.startedCount < BusyBench.width
                || bench.service.pipeline.workload.waitingCount < 2 * BusyBench.width
            {
                await Task.yield()
            }
            // From memory, and then from disk alone.
            for tier in ["memory", "disk"] {
                let answer = try await BusyBench.ask(pictures, Self.kept, "If-None-Match: \(tag)")
                #expect(
                    answer.hasPrefix("HTTP/1.1 304") && answer.contains("X-Cache: \(tier)\r\n"),
                    "\(answer)"
                )
                bench.service.pipeline.removeAllFromMemory()
            }
            #expect(try await BusyBench.ask(pictures, Self.kept).contains("X-Cache: disk\r\n"))
            for path in ["/health", "/health?probe=1"] {
                #expect(try await BusyBench.ask(pictures, path).hasSuffix("\r\n\r\nok\n"))
            }
            for path in ["/health/live", "/health/ready", "/status.json", "/"] {
                #expect(try await BusyBench.ask(admin, path).hasPrefix("HTTP/1.1 200"), "\(path)")
            }
            let metrics = try await BusyBench.ask(admin, "/metrics")
            #expect(metrics.contains("calotype_work_running \(BusyBench.width)\n"))
            #expect(metrics.contains("calotype_work_waiting \(2 * BusyBench.width)\n"))
            let json = "Content-Type: application/json"
            let purged = try await BusyBench.ask(
                admin,
                "/purge",
                json,
                method: "POST",
                body: #"{"source": "http://src.test/photo.jpg"}"#
            )
            #expect(purged.contains(#"{"originals":1,"results":1}"#), "\(purged)")
            #expect(bench.held.endedCount == 0)
            bench.held.release()
            for client in clients { #expect(try await client.value.hasPrefix("HTTP/1.1 200")) }
            await bench.service.pipeline.untilIdle()
            let load = bench.service.pipeline.workload
            #expect(load.startedCount == 1 + clients.count && load.endedCount == load.startedCount)
            #expect(load.decodeCount == 1 + clients.count)
        }
    }
}
