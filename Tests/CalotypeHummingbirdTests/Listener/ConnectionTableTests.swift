import CalotypeTesting
import HTTPTypes
import NIOCore
import NIOEmbedded
import TestSupport
import Testing

@testable import CalotypeHummingbird

private func get(_ target: String, _ fields: String...) -> String {
    (["GET \(target) HTTP/1.1", "Host: a.test"] + fields).joined(separator: "\r\n") + "\r\n\r\n"
}

@Suite(.waiting) struct ConnectionTableTests {
    private static func limits(_ count: Int) -> ListenerLimits {
        var limits = ListenerLimits()
        limits.maxConnectionCount = count
        limits.idleTimeout = .seconds(600)
        limits.headerTimeout = .seconds(600)
        return limits
    }

    /// Holds answered connections that wait for their next request, and runs a body.
    private static func holdingIdle(
        _ count: Int,
        _ port: Int,
        _ body: @escaping @Sendable () async throws -> Void
    ) async throws {
        guard count > 0 else { return try await body() }
        try await RawClient.connect(port).hold(after: get("/idle"), once: "/idle") {
            try await holdingIdle(count - 1, port, body)
        }
    }

    @Test func `accepted connections count against the limit before they are added`() throws {
        let (table, channel) = (ConnectionTable(maxCount: 3), EmbeddedChannel())
        _ = table.add(channel)
        #expect(!table.isFull && !table.isFull(with: 1) && table.isFull(with: 2))
        _ = try channel.finish(acceptAlreadyClosed: true)
        #expect(table.count == 0)
    }

    @Test func `idle connections at the limit do not lock out new clients`() async throws {
        try await ListenerBench.run(Self.limits(4), answer: ListenerBench.echo) { port, listener in
            try await Self.holdingIdle(3, port) {
                for number in 0..<20 {
                    let received = try await RawClient.connect(port).exchange(
                        [get("/\(number)")],
                        until: "GET /\(number)"
                    )
                    #expect(received.contains("GET /\(number)"))
                    #expect(listener.connectionCount <= 4)
                }
            }
        }
    }

    @Test func `silent connections at the limit do not lock out new clients`() async throws {
        try await ListenerBench.run(Self.limits(3), answer: ListenerBench.echo) { port, listener in
            try await RawClient.connect(port).hold {
                try await RawClient.connect(port).hold {
                    try await RawClient.connect(port).hold {
                        let received = try await RawClient.connect(port).exchange([get("/in")], until: "/in")
                        #expect(received.contains("GET /in"))
                    }
                }
            }
        }
    }

    @Test func `running requests complete, and their connections close after the responses`() async throws {
        let (begun, mayEnd) = (SharedState(0), AsyncGate())
        let answer: Listener.Responder = { request in
            guard request.target == "/slow" else { return try await ListenerBench.echo(request) }
            begun.withLock { $0 += 1 }
            await mayEnd.wait()
            return .line(.ok, "late")
        }
        try await ListenerBench.run(Self.limits(2), answer: answer) { port, _ in
            async let first = RawClient.connect(port).exchange([get("/slow")])
            async let second = RawClient.connect(port).exchange([get("/slow")])
            while begun.value < 2 { await Task.yield() }
            // It waits in the backlog of the system.
            async let third = RawClient.connect(port).exchange([get("/third")], until: "GET /third")
            mayEnd.open()
            let answers = try await [first, second]
            #expect(answers.allSatisfy { $0.contains("late\n") })
            #expect(answers.contains { $0.contains("Connection: close") })
            #expect(try await third.contains("GET /third"))
        }
    }
}
