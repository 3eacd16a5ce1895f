import CalotypeTesting
import HTTPTypes
import NIOCore
import NIOEmbedded
import NIOHTTPTypes
import TestSupport
import Testing

@testable import CalotypeHummingbird

/// Holds writes until released, like a socket whose client does not read; records closes.
private final class Dam: ChannelOutboundHandler {
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart
    private var held: [EventLoopPromise<Void>] = []
    private(set) var closes: [CloseMode] = []

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if let promise { held.append(promise) }
    }

    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        closes.append(mode)
        // The embedded channel does not support half-close.
        if mode == .output { promise?.succeed() } else { context.close(mode: mode, promise: promise) }
    }

    func release() {
        let promises = held
        held = []
        for promise in promises { promise.succeed() }
    }
}

/// A connection whose client does not read until released.
private struct SlowReader: EmbeddedConnection {
    let dam = Dam()
    let channel: EmbeddedChannel
    let table: ConnectionTable
    let hasLeft: SharedState<Bool>

    /// Sends a response that the client does not read.
    init(byteCount: Int = 100, maxConnectionCount: Int = 2) throws {
        table = ConnectionTable(maxCount: maxConnectionCount)
        let (presence, hasLeft) = (ClientPresence(), SharedState(false))
        presence.whenGone { hasLeft.withLock { $0 = true } }
        self.hasLeft = hasLeft
        channel = EmbeddedChannel(handler: dam)
        try channel.connect(to: try SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
        let place = ConnectionGuard.Place(table: table, number: table.add(channel))
        try channel.pipeline.syncOperations.addHandler(ConnectionGuard(ListenerLimits(), presence, place))
        try receive()
        send(byteCount: byteCount)
    }

    func begin() { channel.write(HTTPResponsePart.head(HTTPResponse(status: .ok)), promise: nil) }

    func sendSlice(byteCount: Int) {
        let bytes = ByteBuffer(repeating: 0, count: byteCount)
        channel.writeAndFlush(HTTPResponsePart.body(bytes), promise: nil)
    }

    func finish() { channel.writeAndFlush(HTTPResponsePart.end(nil), promise: nil) }

    func send(byteCount: Int) {
        begin()
        channel.write(HTTPResponsePart.body(ByteBuffer(repeating: 0, count: byteCount)), promise: nil)
        finish()
    }

    func shed(isGraceOver: Bool = false) {
        channel.pipeline.fireUserInboundEventTriggered(ConnectionTable.Shed(isGraceOver: isGraceOver))
    }

    func receivePartOfHead() {
        channel.pipeline.fireUserInboundEventTriggered(ProtocolOffers.MessageBegan())
    }

    func closeInput() { channel.pipeline.fireUserInboundEventTriggered(ChannelEvent.inputClosed) }

    /// Releases the held writes, so that no promise is leaked.
    func end() throws {
        dam.release()
        _ = try channel.finish(acceptAlreadyClosed: true)
    }
}

@Suite(.gated) struct SlowReaderTests {
    @Test func `a client that does not read a response is cut off, later for a long one`() throws {
        for (byteCount, seconds) in [(100, Int64(30)), (65_536 * 20, 50)] {
            let reader = try SlowReader(byteCount: byteCount)
            reader.wait(seconds - 1)
            #expect(reader.channel.isActive, "\(byteCount)")
            reader.wait(2)
            #expect(!reader.channel.isActive, "\(byteCount)")
            try reader.end()
        }
    }

    @Test func `a long response gets its time as the client takes it`() throws {
        let reader = try SlowReader()
        reader.dam.release()
        try reader.receive()
        reader.begin()
        for _ in 0..<3 {
            reader.sendSlice(byteCount: 65_536 * 10)
            reader.wait(9)
            #expect(reader.channel.isActive)
        }
        reader.wait(32)
        #expect(reader.channel.isActive)
        reader.wait(2)
        #expect(!reader.channel.isActive && reader.hasLeft.value)
        try reader.end()
    }

    @Test func `a half-closing client gets a long response that is being sent`() throws {
        let reader = try SlowReader()
        reader.dam.release()
        try reader.receive()
        reader.begin()
        reader.closeInput()
        reader.wait(5)
        #expect(reader.channel.isActive && !reader.hasLeft.value)
        reader.finish()
        try reader.end()
    }

    @Test func `a client that has read its response is not cut off`() throws {
        let reader = try SlowReader()
        reader.dam.release()
        reader.wait(45)
        #expect(reader.channel.isActive)
        try reader.end()
    }

    @Test func `a connection is shed only after its response is sent`() throws {
        let reader = try SlowReader(maxConnectionCount: 1)
        reader.shed()
        reader.table.relieve()
        #expect(reader.channel.isActive && !reader.hasLeft.value)
        reader.dam.release()
        #expect(reader.channel.isActive)
        reader.table.relieve()
        #expect(!reader.channel.isActive && reader.hasLeft.value)
        try reader.end()
    }

    @Test func `a connection with a started header has one grace period`() throws {
        let reader = try SlowReader(maxConnectionCount: 1)
        reader.dam.release()
        reader.receivePartOfHead()
        reader.receivePartOfHead()
        reader.table.relieve()
        reader.shed()
        #expect(reader.channel.isActive)
        try reader.receiveHead()
        reader.receivePartOfHead()
        reader.shed(isGraceOver: true)
        #expect(reader.channel.isActive)
        try reader.channel.writeInbound(HTTPRequestPart.end(nil))
        reader.send(byteCount: 1)
        reader.receivePartOfHead()
        reader.dam.release()
        reader.table.relieve()
        #expect(reader.channel.isActive)
        reader.shed(isGraceOver: true)
        #expect(!reader.channel.isActive && reader.hasLeft.value)
        try reader.end()
    }

    @Test func `a closing connection retains its unsent response beyond the linger time`() throws {
        let reader = try SlowReader()
        reader.channel.close(mode: .output, promise: nil)
        reader.wait(20)
        #expect(reader.channel.isActive && reader.dam.closes.isEmpty)
        reader.dam.release()
        #expect(reader.channel.isActive && reader.dam.closes == [.output])
        reader.wait(1)
        #expect(reader.channel.isActive)
        reader.wait(2)
        #expect(!reader.channel.isActive)
        try reader.end()
    }

    @Test func `a missing body closes the connection only after earlier responses are sent`() throws {
        let reader = try SlowReader()
        try reader.receiveHead()
        reader.wait(20)
        #expect(reader.channel.isActive)
        reader.dam.release()
        reader.wait(9)
        #expect(reader.channel.isActive)
        reader.wait(2)
        #expect(!reader.channel.isActive)
        try reader.end()
    }

    @Test func `the timeout of the next request starts when the response is sent`() throws {
        let reader = try SlowReader(byteCount: 65_536 * 100)
        reader.wait(100)
        reader.dam.release()
        reader.wait(59)
        #expect(reader.channel.isActive)
        reader.wait(2)
        #expect(!reader.channel.isActive)
        try reader.end()
    }

    @Test func `a half-closing client gets its unsent response`() throws {
        let reader = try SlowReader()
        reader.closeInput()
        reader.wait(20)
        #expect(reader.channel.isActive && !reader.hasLeft.value)
        // The exchange closes the connection.
        reader.channel.close(mode: .output, promise: nil)
        #expect(reader.dam.closes.isEmpty)
        reader.dam.release()
        #expect(reader.dam.closes == [.output])
        try reader.end()
    }

    @Test func `a half-closing client cancels later responses only after the first is sent`() throws {
        let reader = try SlowReader()
        try reader.receive()
        reader.closeInput()
        reader.wait(20)
        #expect(!reader.hasLeft.value)
        reader.dam.release()
        #expect(reader.hasLeft.value)
        try reader.end()
    }

    @Test func `a half-closing client cancels a response that is not ready in time`() throws {
        let reader = try SlowReader()
        reader.dam.release()
        try reader.receive()
        reader.closeInput()
        #expect(!reader.hasLeft.value)
        reader.wait(1)
        #expect(reader.hasLeft.value)
        try reader.end()
    }

    /// A stopping listener closes connections whose requests are answered.
    @Test func `a close waits for an unsent response, unless the client has disconnected`() throws {
        let reader = try SlowReader()
        reader.channel.close(promise: nil)
        reader.channel.close(mode: .output, promise: nil)
        #expect(reader.channel.isActive)
        reader.dam.release()
        #expect(!reader.channel.isActive)
        try reader.end()
        let other = try SlowReader()
        other.wait(40)
        #expect(!other.channel.isActive && other.hasLeft.value)
        try other.end()
    }
}
