import CalotypeCodecs
import CalotypeCore
import CalotypeLoading
import CalotypeTesting
import Foundation
import Glibc
import LoopbackOrigin
import TestSupport
import Testing

@testable import CalotypeCLI

/// A service whose dependencies fail, or that is killed.
@Suite(.gated) struct ServeFaultEndToEndTests {
    private let folder: ScratchFolder

    init() throws {
        folder = try ScratchFolder()
    }

    private func start(cache: String? = nil, _ options: [String] = []) async throws -> RunningService {
        let own = ["--allow-private-sources", "--cache-dir", cache ?? "\(folder.path)/cache"]
        return try await .start(own + options)
    }

    private func withService(
        _ options: [String] = [],
        cache: String? = nil,
        _ body: (RunningService, LoopbackOrigin) async throws -> Void
    ) async throws {
        let silence = OriginGate()
        var routes = ["/slow.jpg": try Self.response(0).held(by: silence)]
        for number in 0..<50 { routes["/\(number).jpg"] = try Self.response(number) }
        let origin = try await LoopbackOrigin.start(routes: routes)
        let service = try await start(cache: cache, options)
        let result = await Result { () async throws -> Void in try await body(service, origin) }
        await silence.open()
        await service.end(by: SIGKILL)
        await origin.close()
        try result.get()
    }

    /// The image of a number, with a unique width.
    private static func response(_ number: Int) throws -> OriginResponse {
        let size = PixelSize(width: 60 + number, height: 40)
        var response = OriginResponse.body(try Pictures.jpeg(size, seed: UInt64(number + 1)))
        response.headers.append(OriginField("Cache-Control", "max-age=3600"))
        return response
    }

    private func path(_ number: Int, _ origin: LoopbackOrigin, width: Int = 20) -> String {
        "/unsafe/w:\(width)/plain/\(origin.url("/\(number).jpg").absoluteString)"
    }

    /// Requests an image at its own size.
    ///
    /// - Returns: The cache outcome and the bytes, which must match its number.
    @discardableResult
    private func whole(_ number: Int, _ origin: LoopbackOrigin, of service: RunningService) async throws
        -> (cache: String?, body: Data)
    {
        let (answer, body) = try await service.get(path(number, origin, width: 500))
        #expect(answer.status == 200)
        let info = try CodecRegistry.standard.info(of: body, limits: DecodeLimits())
        #expect(info.size == PixelSize(width: 60 + number, height: 40), "\(number)")
        return (answer.headers["X-Cache"], body)
    }

    /// Lets eight clients request images, and kills the service once the origin has had some requests.
    private func end(
        _ service: RunningService,
        over numbers: Range<Int>,
        _ origin: LoopbackOrigin
    ) async throws {
        let count = await origin.activity.snapshot.requests.count
        try await withThrowingTaskGroup(of: Void.self) { group in
            for client in 0..<8 {
                group.addTask {
                    for step in 0..<numbers.count {
                        let number = numbers.lowerBound + (client + step) % numbers.count
                        do {
                            try await whole(number, origin, of: service)
                        } catch is FetchError {
                            // The service is dead.
                            return
                        }
                    }
                }
            }
            await origin.activity.until { $0.requests.count >= count + 3 }
            await service.end(by: SIGKILL)
            try await group.waitForAll()
        }
    }

    @Test func `disk entries survive kills under load bit for bit, and images are not mixed up`()
        async throws
    {
        try await withService { first, origin async throws in
            var bodies: [Int: Data] = [:]
            for number in 0..<20 { bodies[number] = try await whole(number, origin, of: first).body }
            // Answered images are on disk once the service is idle.
            try await first.untilIdle()
            var service = first
            for round in 0..<3 {
                let numbers = 20 + 10 * round..<30 + 10 * round
                try await end(service, over: numbers, origin)
                let end = ContinuousClock.now
                service = try await start()
                #expect(try await service.get("/health").answer.status == 200)
                #expect(ContinuousClock.now - end < .seconds(120))
                for (number, body) in bodies {
                    let kept = try await whole(number, origin, of: service)
                    #expect(kept.cache == "disk" && kept.body == body, "\(number)")
                }
                for number in numbers { try await whole(number, origin, of: service) }
            }
            // Requests that were running at the kill are sent once more.
            #expect(await origin.activity.snapshot.requests.count <= 20 + 2 * 30)
            #expect(await service.end() == 0)
        }
    }

    @Test func `removing the cache directory loses its entries and nothing else`() async throws {
        try await withService(["--memory", "0"]) { service, origin async throws in
            _ = try await service.get(path(0, origin))
            try await service.untilIdle()
            try FileManager.default.removeItem(atPath: "\(folder.path)/cache")
            #expect(try await service.get(path(0, origin)).answer.headers["X-Cache"] == "miss")
            // The response is sent before the entry is written.
            var outcome: String?
            for _ in 0..<100 where outcome != "disk" {
                try await service.untilIdle()
                outcome = try await service.get(path(0, origin)).answer.headers["X-Cache"]
            }
            #expect(outcome == "disk")
        }
    }

    @Test func `a dead origin is reported as such, and cached images are still served`() async throws {
        let (picture, isDead) = (try Self.response(0), SharedState(false))
        // The origin resets connections; if it were closed, its port might soon belong to another.
        let lost = OriginResponse(framing: .raw, steps: [.reset])
        let origin = try await LoopbackOrigin.start { _ in isDead.value ? lost : picture }
        try await withService { service, _ async throws in
            let kept = try await service.get(path(0, origin))
            // Memory may be released under pressure; entries on disk stay.
            try await service.untilIdle()
            isDead.withLock { $0 = true }
            let again = try await service.get(path(0, origin))
            #expect(again.body == kept.body, "\(again.answer.status) \(again.answer.headers)")
            // Nothing listens on this port: the kernel answers, however busy the machine is.
            let failed = try await service.get("/unsafe/w:20/plain/http://127.0.0.1:1/1.jpg")
            let report = "\(failed.answer.headers) \(String(decoding: failed.body, as: UTF8.self))"
            #expect(failed.answer.status == 502, "\(report)")
            #expect(try await service.get("/health").answer.status == 200)
        }
        await origin.close()
    }

    @Test(.enabled(if: SmallDisk.isPermitted, "mounting a file system needs root"))
    func `a full disk loses cache entries, and no response`() async throws {
        let disk = try #require(SmallDisk(mebibyteCount: 8))
        let cache = disk.path + "/cache"
        try await withService(cache: cache) { service, origin async throws in
            let kept = try await service.get(path(0, origin))
            try await service.untilIdle()
            try disk.fill()
            for number in 0..<20 {
                #expect(try await service.get(path(number, origin, width: 30)).answer.status == 200)
            }
            #expect(try await service.get(path(0, origin)).body == kept.body)
            try await service.untilIdle()
            try disk.empty()
            let next = try await service.get(path(30, origin))
            #expect(next.answer.status == 200)
            try await service.untilIdle()
            await service.end(by: SIGKILL)
            let again = try await start(cache: cache)
            // The first request may have evicted others.
            #expect(try await again.get(path(0, origin)).body == kept.body)
            let (answer, found) = try await again.get(path(30, origin))
            #expect(answer.headers["X-Cache"] == "disk" && found == next.body)
            await again.end(by: SIGKILL)
        }
    }

    @Test func `thousands of disconnecting clients leave nothing behind`() async throws {
        try await withService { service, origin async throws in
            _ = try await service.get(path(0, origin))
            try await service.untilIdle()
            let before = try service.descriptorCount
            let resident = try await service.metric("calotype_resident_bytes")
            let target = "/unsafe/w:9/plain/\(origin.url("/slow.jpg").absoluteString)%3F"
            // This client does not disconnect before its work starts.
            try await RudeClient.ask("\(target)first", port: service.port) {
                while try await service.metric("calotype_fetches_running") == 0 { await Task.yield() }
            }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for part in 0..<8 {
                    group.addTask {
                        for number in 0..<1_250 {
                            try await RudeClient.ask("\(target)\(part)-\(number)", port: service.port)
                        }
                    }
                }
                try await group.waitForAll()
            }
            while try await service.metric("calotype_connections") > 4 { await Task.yield() }
            try await service.untilIdle()
            // The service keeps up to 16 connections to an origin, and closes those of its clients in time.
            #expect(try service.descriptorCount <= before + 64)
            #expect(try await service.metric("calotype_work_bytes") == 0)
            // Many disconnect before they are read; the others are counted as status 499.
            #expect(try await service.metric("calotype_requests_total", "status=\"499\"") > 0)
            let after = try await service.metric("calotype_resident_bytes")
            #expect(after - resident < 128e6)
            #expect(try await service.get(path(0, origin)).answer.headers["X-Cache"] == "memory")
        }
    }

    @Test func `the first signal stops the service in order, the second at once`() async throws {
        try await withService { service, origin async throws in
            _ = try await service.get(path(0, origin))
            #expect(await service.end() == 0)
        }
        try await withService(["--drain-timeout", "60s"]) { service, origin async throws in
            let slow = "/unsafe/w:9/plain/\(origin.url("/slow.jpg").absoluteString)"
            let waiting = Task { try await service.get(slow) }
            while await origin.activity.snapshot.requests.isEmpty { await Task.yield() }
            kill(service.processID, SIGTERM)
            // It drains: it accepts no connections, and waits for the existing one.
            while RudeClient.canConnect(service.port) { await Task.yield() }
            #expect(try await service.get("/health/ready", of: service.admin).answer.status == 503)
            #expect(try await service.get("/health/live", of: service.admin).answer.status == 200)
            #expect(await service.end() == 128 + SIGTERM)
            _ = await waiting.result
        }
    }
}

/// A client that does not wait for its response.
private enum RudeClient {
    /// Sends a request, and disconnects once `stay` has returned.
    static func ask(_ target: String, port: Int, stay: () async throws -> Void = {}) async throws {
        let descriptor = connect(port)
        guard descriptor >= 0 else { throw RunningService.NotServing(description: "no connection") }
        defer { close(descriptor) }
        let text = "GET \(target) HTTP/1.1\r\nHost: h\r\n\r\n"
        _ = text.withCString { send(descriptor, $0, strlen($0), Int32(MSG_NOSIGNAL)) }
        try await stay()
    }

    static func canConnect(_ port: Int) -> Bool {
        let descriptor = connect(port)
        if descriptor >= 0 { close(descriptor) }
        return descriptor >= 0
    }

    private static func connect(_ port: Int) -> Int32 {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        let isConnected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        guard !isConnected else { return descriptor }
        close(descriptor)
        return -1
    }
}
