import CalotypeSupport
import HTTPTypes
import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1
import NIOHTTPTypes

struct ClientConnection: ServerChildChannelValue {
    let stream: NIOAsyncChannel<HTTPRequestPart, HTTPResponsePart>
    let presence: ClientPresence

    var channel: any Channel { stream.channel }

    /// Closes it without a response: NIO traps if the writer of a channel is dropped.
    func end() async {
        presence.end()
        do {
            try await stream.executeThenClose { _, outbound in outbound.finish() }
        } catch {
            // It is already closed.
        }
    }
}

/// Reads requests from connections and writes the responses.
struct ListenerChannel: ServerChildChannel {
    let limits: ListenerLimits
    let answersOnEventLoop: Bool
    let names = RequestIDs()
    let date: DateField
    let connections: ConnectionTable
    let ending: ListenerShutdown
    let refusalHandler: Listener.RefusalHandler
    let refusalFields: Listener.RefusalFields
    let intake: Listener.BodyRule
    let answer: Listener.Responder

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<ClientConnection> {
        let (limits, presence) = (limits, ClientPresence())
        let place = ConnectionGuard.Place(table: connections, number: connections.add(channel))
        let http = HTTP1Channel(
            responder: { _, _, _ in },
            configuration: .init(
                additionalChannelHandlers: [ConnectionGuard(limits, presence, place)]
            )
        )
        let grace = TimeAmount(ending.idleGrace)
        return http.setup(channel: channel, logger: logger).flatMap { stream in
            channel.eventLoop.makeCompletedFuture {
                try channel.pipeline.syncOperations.addHandler(IdleGrace(grace), position: .first)
                return try replaceDecoder(channel.pipeline.syncOperations)
            }.flatMap { $0 }.map { ClientConnection(stream: stream, presence: presence) }
        }
    }

    /// Replaces NIO's decoder by one that continues after offers of other protocols.
    private func replaceDecoder(
        _ pipeline: ChannelPipeline.SynchronousOperations
    ) throws -> EventLoopFuture<Void> {
        let former = try pipeline.handler(type: ByteToMessageHandler<HTTPRequestDecoder>.self)
        var sizes = NIOHTTPDecoderLimitConfiguration()
        sizes.maxHeaderFieldSize = ListenerLimits.maxLineByteCount
        sizes.maxHeaderListSize = ListenerLimits.maxLineByteCount + limits.maxFieldByteCount
        sizes.maxHeaderFieldCount = 100
        let offers = ProtocolOffers()
        let decoder = ByteToMessageHandler(RequestDecoder(sizes, offers))
        try pipeline.addHandler(decoder, position: .after(former))
        try pipeline.addHandler(HeaderRules(offers), position: .after(decoder))
        return pipeline.removeHandler(former)
    }

    func handle(value: ClientConnection, logger: Logger) async {
        // A separate task, since no other one can be cancelled for this connection alone.
        let executor = answersOnEventLoop ? EventLoopTaskExecutor(value.channel.eventLoop) : nil
        let work = Task(executorPreference: executor) { await serve(value) }
        value.presence.whenGone { work.cancel() }
        await withTaskCancellationHandler {
            await work.value
        } onCancel: {
            // Closes the connection with its unsent bytes: otherwise a client that does not read would be
            // waited for.
            value.presence.end()
            value.channel.close(promise: nil)
        }
    }

    private func serve(_ connection: ClientConnection) async {
        do {
            try await connection.stream.executeThenClose { inbound, outbound in
                var exchange = Exchange(
                    parts: inbound.makeAsyncIterator(),
                    outbound: outbound,
                    channel: self,
                    client: connection.channel.remoteAddress?.ipAddress
                )
                try await exchange.run()
                outbound.finish()
                try await connection.channel.closeFuture.get()
            }
        } catch {
            // The client has disconnected or was too slow, so the error cannot be reported.
        }
    }
}
