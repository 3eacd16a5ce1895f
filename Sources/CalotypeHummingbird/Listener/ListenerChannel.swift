import CalotypeSupport
import HTTPTypes
import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1
import NIOHTTPTypes

/// A connection of a client.
struct ClientConnection: ServerChildChannelValue {
    let stream: NIOAsyncChannel<HTTPRequestPart, HTTPResponsePart>
    let presence: ClientPresence

    var channel: any Channel { stream.channel }
}

/// Reads requests from connections and writes the answers to them.
struct ListenerChannel: ServerChildChannel {
    let limits: ListenerLimits
    let answersOnEventLoop: Bool
    let names = RequestNames()
    let date: DateField
    let connectionCount: ConnectionCount
    let refusalHandler: Listener.RefusalHandler
    let answer: Listener.Responder

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<ClientConnection> {
        let (limits, presence) = (limits, ClientPresence())
        let connectionCount = connectionCount
        connectionCount.add(1)
        channel.closeFuture.whenComplete { _ in connectionCount.add(-1) }
        let http = HTTP1Channel(
            responder: { _, _, _ in },
            configuration: .init(
                additionalChannelHandlers: [ConnectionGuard(limits, presence)],
                httpDecoderConfiguration: .init(
                    maxHeaderFieldSize: ListenerLimits.lineByteCountMax,
                    maxHeaderListSize: ListenerLimits.lineByteCountMax + limits.fieldByteCountMax,
                    maxHeaderFieldCount: 100
                )
            )
        )
        return http.setup(channel: channel, logger: logger).flatMapThrowing { stream in
            let pipeline = channel.pipeline.syncOperations
            let decoder = try pipeline.handler(type: ByteToMessageHandler<HTTPRequestDecoder>.self)
            try pipeline.addHandler(HeadRules(), position: .after(decoder))
            return ClientConnection(stream: stream, presence: presence)
        }
    }

    func handle(value: ClientConnection, logger: Logger) async {
        // A task of its own, since there is no other that can be cancelled for this connection alone.
        let executor = answersOnEventLoop ? EventLoopTaskExecutor(value.channel.eventLoop) : nil
        let work = Task(executorPreference: executor) { await serve(value) }
        value.presence.whenGone { work.cancel() }
        await withTaskCancellationHandler {
            await work.value
        } onCancel: {
            work.cancel()
        }
    }

    private func serve(_ connection: ClientConnection) async {
        do {
            try await connection.stream.executeThenClose { inbound, outbound in
                var exchange = Exchange(parts: inbound.makeAsyncIterator(), outbound: outbound, channel: self)
                try await exchange.run()
                outbound.finish()
                try await connection.channel.closeFuture.get()
            }
        } catch {
            // The client has gone, or was too slow: there is nobody to tell.
        }
    }
}

/// How many connections there are.
final class ConnectionCount: Sendable {
    private let count = Guarded(0)

    var value: Int { count.withLock(\.self) }

    func add(_ change: Int) {
        count.withLock { $0 += change }
    }
}
