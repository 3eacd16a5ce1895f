import CalotypeTesting
import Glibc
import HTTPTypes
import Logging
import NIOCore
import TestSupport
import Testing

@testable import CalotypeHummingbird

private func get(_ target: String, _ fields: String...) -> String {
    (["GET \(target) HTTP/1.1", "Host: a.test"] + fields).joined(separator: "\r\n") + "\r\n\r\n"
}

@Suite(.waiting) struct ListenerStopTests {
    private struct NoSocket: Error {}

    private static func inheritedPlace() throws -> ListenerAddress {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        let isListening = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
                    && listen(descriptor, 1_024) == 0
            }
        }
        guard isListening else { throw NoSocket() }
        var place = ListenerAddress(host: "127.0.0.1", port: 0)
        place.descriptor = descriptor
        return place
    }

    /// Starts a listener, and stops it while clients connect.
    ///
    /// - Returns: The clients, of which each ends once its connection does.
    private static func clientsOfStop(
        _ place: ListenerAddress,
        isCancelled: Bool,
        after connectedCount: Int
    ) async throws -> [Task<String, any Error>] {
        let listener = Listener(
            place,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
            responder: ListenerBench.echo
        )
        let (ports, sink) = AsyncStream<Int>.makeStream()
        let running = Task { try await listener.run { sink.yield($0) } }
        var iterator = ports.makeAsyncIterator()
        let port = try #require(await iterator.next())
        let connected = SharedState(0)
        let clients = (0..<32).map { number in
            Task {
                let client = try await RawClient.connect(port)
                connected.withLock { $0 += 1 }
                return try await client.exchange([get("/\(number)")])
            }
        }
        while connected.value < connectedCount { await Task.yield() }
        if isCancelled { running.cancel() } else { await listener.stop() }
        _ = await running.result
        while listener.connectionCount > 0 { await Task.yield() }
        return clients
    }

    @Test(arguments: [false, true], [false, true])
    func `each connection that arrives during a stop is closed`(isInherited: Bool, isCancelled: Bool)
        async throws
    {
        for round in 0..<8 {
            let own = ListenerAddress(host: "127.0.0.1", port: 0)
            let place = try isInherited ? Self.inheritedPlace() : own
            let clients = try await Self.clientsOfStop(place, isCancelled: isCancelled, after: 2 * round)
            var answeredCount = 0
            for client in clients {
                // Refused and reset connections have ended too.
                guard case .success(let received) = await client.result else { continue }
                #expect(received.isEmpty || received.hasPrefix("HTTP/1.1 200"), "\(received)")
                if !received.isEmpty { answeredCount += 1 }
            }
            // The queue of an inherited socket is left to the next process.
            if !isCancelled, !isInherited { #expect(answeredCount >= 2 * round, "round \(round)") }
        }
    }

    @Test func `a stop waits a limited time for connections that cannot be accepted`() async throws {
        var limits = ListenerLimits()
        limits.maxConnectionCount = 2
        let (begun, mayEnd) = (SharedState(0), AsyncGate())
        let answer: Listener.Responder = { _ in
            begun.withLock { $0 += 1 }
            await mayEnd.wait()
            return .line(.ok, "late")
        }
        try await ListenerBench.run(limits, answer: answer) { port, listener in
            async let first = RawClient.connect(port).exchange([get("/")])
            async let second = RawClient.connect(port).exchange([get("/")])
            while begun.value < 2 { await Task.yield() }
            // It waits in the queue of the system, which is not empty before the responses are sent.
            let third = try await RawClient.connect(port)
            async let stopped: Void = listener.stop()
            #expect(try await third.exchange([get("/third")]) == "")
            #expect(begun.value == 2)
            mayEnd.open()
            for received in try await [first, second] { #expect(received.contains("late\n")) }
            await stopped
        }
    }
}
