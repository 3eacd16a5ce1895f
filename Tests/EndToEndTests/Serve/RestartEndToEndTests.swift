import CalotypeLoading
import CalotypeSupport
import CalotypeTesting
import Foundation
import Glibc
import LoopbackOrigin
import TestSupport
import Testing

@testable import CalotypeCLI

/// Successive processes on one address under constant load.
@Suite(.waiting) struct RestartEndToEndTests {
    private let folder: ScratchFolder

    init() throws {
        folder = try ScratchFolder()
        try Pictures.jpeg().write(to: URL(filePath: folder.path).appending(path: "a.jpg"))
    }

    private var options: [String] { ["--cache-dir=\(folder.path)/cache", "--local-root=\(folder.path)"] }

    @Test func `processes that share a socket lose no request under constant load`() async throws {
        let socket = try OpenSocket()
        defer { socket.close() }
        var current = try await RunningService.start(options, socket: socket.descriptor)
        let load = RequestLoad(port: socket.port, path: "/unsafe/rs:fit:20:20/plain/local:///a.jpg@png")
        let clients = Task { await load.run(keptCount: 4, newCount: 4) }
        for _ in 0..<4 {
            try await load.untilAnswered(200)
            let next = try await RunningService.start(options, socket: socket.descriptor)
            #expect(next.port == socket.port)
            #expect(await current.end() == 0)
            current = next
        }
        try await load.untilAnswered(200)
        load.stop()
        await clients.value
        #expect(load.failures.isEmpty, "\(load.failures)")
        #expect(await current.end() == 0)
    }

    @Test func `the admin listener responds while clients of an inherited socket wait`() async throws {
        let silence = OriginGate()
        let picture = OriginResponse.body(try Pictures.jpeg()).held(by: silence)
        let origin = try await LoopbackOrigin.start(routes: ["/slow.jpg": picture])
        let socket = try OpenSocket()
        defer { socket.close() }
        let own = ["--allow-private-sources", "--drain-timeout=60s"]
        let service = try await RunningService.start(options + own, socket: socket.descriptor)
        let slow = "/unsafe/w:9/plain/\(origin.url("/slow.jpg").absoluteString)"
        let result = await Result { () async throws -> Void in
            let waiting = Task { try await service.get(slow).answer.status }
            while await origin.activity.snapshot.requests.isEmpty { await Task.yield() }
            kill(service.processID, SIGTERM)
            while try await service.get("/health/ready", of: service.admin).answer.status != 503 {
                await Task.yield()
            }
            for _ in 0..<20 {
                #expect(try await service.get("/health/live", of: service.admin).answer.status == 200)
            }
            await silence.open()
            #expect(try await waiting.value == 200)
            // A second SIGTERM would abort the drain.
            #expect(await service.end(by: SIGUSR1) == 0)
        }
        await silence.open()
        await service.end(by: SIGKILL)
        await origin.close()
        try result.get()
    }

    @Test func `a second process listens on the port, and responds after the first has stopped`() async throws
    {
        let first = try await RunningService.start(options + ["--reuse-port"])
        let same = options + ["--reuse-port", "--listen=127.0.0.1:\(first.port)"]
        let second = try await RunningService.start(same)
        #expect(second.port == first.port)
        #expect(await first.end() == 0)
        for _ in 0..<20 { #expect(try await second.get("/health").answer.status == 200) }
        #expect(await second.end() == 0)
    }

    @Test func `without the setting a second process reports the address in use`() async throws {
        try await RunningService.run("--cache-dir=none") { service in
            let address = "127.0.0.1:\(service.port)"
            let options = ["--cache-dir=none", "--listen=\(address)", "--admin=off", "--sandbox=off"]
            let outcome = try await Tool.run(["serve"] + options)
            #expect(outcome.status == 1)
            let words = "cannot listen on \(address): Address already in use: another program listens on it"
            #expect(outcome.errors.contains(words), "\(outcome.errors)")
        }
    }

    @Test func `a publicly reachable socket needs a key, and a file is not accepted as a socket`()
        async throws
    {
        let socket = try OpenSocket(anyAddress: true)
        defer { socket.close() }
        await #expect(throws: RunningService.NotServing.self) {
            _ = try await RunningService.start(options, socket: socket.descriptor)
        }
        let file = open("/dev/null", O_RDONLY | O_CLOEXEC)
        defer { close(file) }
        await #expect(throws: RunningService.NotServing.self) {
            _ = try await RunningService.start(options, socket: file)
        }
    }
}

/// A socket of the loopback interface that listens before any process accepts.
private struct OpenSocket {
    let descriptor: Int32
    let port: Int

    init(anyAddress: Bool = false) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = in_addr_t(anyAddress ? 0 : 0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let descriptor = descriptor
        let isOpen = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, length) == 0 && listen(descriptor, 1_024) == 0
                    && getsockname(descriptor, $0, &length) == 0
            }
        }
        guard isOpen else { throw RunningService.NotServing(description: "no socket: \(errno)") }
        port = Int(in_port_t(bigEndian: address.sin_port))
    }

    func close() { Glibc.close(descriptor) }
}

/// Clients with constant requests, each on its own thread.
private final class RequestLoad: Sendable {
    private struct State {
        var answerCount = 0
        var failures: [String] = []
        var isOver = false
    }

    private let port: Int
    private let path: String
    private let state = Guarded(State())

    init(port: Int, path: String) {
        (self.port, self.path) = (port, path)
    }

    var failures: [String] { state.withLock(\.failures) }

    func stop() { state.withLock { $0.isOver = true } }

    /// Waits until `count` more requests have been answered, or one has failed.
    func untilAnswered(_ count: Int) async throws {
        let start = state.withLock(\.answerCount)
        while state.withLock({ $0.answerCount < start + count && $0.failures.isEmpty }) { await Task.yield() }
    }

    /// Sends requests until stopped: on connections that are kept alive as long as the service allows, and
    /// on one per request.
    func run(keptCount: Int, newCount: Int) async {
        let pool = BlockingPool(width: keptCount + newCount)
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<keptCount + newCount {
                group.addTask { await pool.run { self.ask(keepsConnection: number < keptCount) } }
            }
        }
    }

    private func ask(keepsConnection: Bool) {
        var connection: RawConnection?
        while !state.withLock(\.isOver) {
            do {
                let open = try connection ?? RawConnection(port: port)
                let isLast = try answer(on: open, keepsConnection)
                if isLast { open.close() }
                connection = isLast ? nil : open
                state.withLock { $0.answerCount += 1 }
            } catch {
                connection?.close()
                connection = nil
                state.withLock { $0.failures.append("\(keepsConnection ? "kept" : "new"): \(error)") }
            }
        }
        connection?.close()
    }

    /// Whether the response is the last of its connection.
    private func answer(on connection: RawConnection, _ keepsConnection: Bool) throws -> Bool {
        let field = keepsConnection ? "" : "Connection: close\r\n"
        connection.send("GET \(path) HTTP/1.1\r\nHost: a.test\r\n\(field)\r\n")
        let answer = try connection.answer()
        guard answer.head.hasPrefix("HTTP/1.1 200 ") else {
            throw RunningService.NotServing(description: String(answer.head.prefix(60)))
        }
        return answer.head.lowercased().contains("connection: close")
    }
}
