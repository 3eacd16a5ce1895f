import CalotypeTesting
import HTTPTypes
import NIOCore
import NIOEmbedded
import NIOHTTPTypes
import TestSupport
import Testing

@testable import CalotypeHummingbird

/// A connection with a manual clock.
private struct GuardBench: EmbeddedConnection {
    let channel: EmbeddedChannel
    let hasLeft: SharedState<Bool>

    init(_ limits: ListenerLimits = ListenerLimits()) throws {
        let presence = ClientPresence()
        let hasLeft = SharedState(false)
        presence.whenGone { hasLeft.withLock { $0 = true } }
        channel = EmbeddedChannel(handler: ConnectionGuard(limits, presence))
        self.hasLeft = hasLeft
        try channel.connect(to: try SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
    }

    var isOpen: Bool { channel.isActive }

    func send(byteCount: Int = 1) throws {
        try channel.writeOutbound(HTTPResponsePart.head(HTTPResponse(status: .ok)))
        try channel.writeOutbound(
            HTTPResponsePart.body(ByteBuffer(repeating: 0, count: byteCount))
        )
        try channel.writeOutbound(HTTPResponsePart.end(nil))
    }
}

@Suite(.gated) struct ConnectionGuardTests {
    @Test func `a missing header closes the connection`() throws {
        let bench = try GuardBench()
        bench.wait(9)
        #expect(bench.isOpen)
        bench.wait(2)
        #expect(!bench.isOpen && bench.hasLeft.value)
    }

    @Test func `a missing body closes the connection`() throws {
        let bench = try GuardBench()
        bench.wait(5)
        try bench.receiveHead()
        bench.wait(9)
        #expect(bench.isOpen)
        bench.wait(2)
        #expect(!bench.isOpen)
    }

    @Test func `a slow response and the next request have their own timeouts`() throws {
        let bench = try GuardBench()
        try bench.receive()
        bench.wait(1_000)
        #expect(bench.isOpen && !bench.hasLeft.value)
        try bench.send()
        bench.wait(59)
        #expect(bench.isOpen)
        try bench.receive()
        try bench.send()
        bench.wait(59)
        #expect(bench.isOpen)
        bench.wait(2)
        #expect(!bench.isOpen)
    }

    @Test func `a closing connection is read for two more seconds`() throws {
        let bench = try GuardBench()
        try bench.receive()
        try bench.send()
        bench.channel.close(mode: .output, promise: nil)
        bench.wait(3)
        #expect(!bench.isOpen)
    }

    @Test func `a client that has disconnected is reported once`() throws {
        let presence = ClientPresence()
        let count = SharedState(0)
        presence.end()
        presence.end()
        presence.whenGone { count.withLock { $0 += 1 } }
        #expect(count.value == 1)
        let bench = try GuardBench()
        bench.channel.pipeline.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
        #expect(bench.hasLeft.value)
    }
}
