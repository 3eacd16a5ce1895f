import NIOCore
import NIOHTTPTypes

/// Ends connections whose client is too slow, and tells when a client has left.
///
/// One timer a connection: it is set anew when it fires, not with each request.
final class ConnectionGuard: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private let limits: ListenerLimits
    private let presence: ClientPresence
    private let place: Place?

    /// The connection in the table of its listener.
    struct Place: Sendable {
        let table: ConnectionTable
        let number: Int
    }

    /// When the client must have sent what is awaited of it; `nil` while nothing is.
    private var readDeadline: NIODeadline?
    /// When the client must have taken what is being sent.
    private var writeDeadline: NIODeadline?
    private var timer: (task: Scheduled<Void>, time: NIODeadline)?
    /// Requests that have begun and are not answered.
    private var openCount = 0
    private var isReading = false
    private var isEnding = false
    private var answerByteCount = 0
    private var answersInFlight = 0

    init(_ limits: ListenerLimits, _ presence: ClientPresence, _ place: Place? = nil) {
        (self.limits, self.presence, self.place) = (limits, presence, place)
    }

    func handlerAdded(context: ChannelHandlerContext) {
        if context.channel.isActive { awaitClient(for: limits.headTimeout, context) }
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        timer?.task.cancel()
        timer = nil
    }

    func channelActive(context: ChannelHandlerContext) {
        awaitClient(for: limits.headTimeout, context)
        context.fireChannelActive()
    }

    func channelInactive(context: ChannelHandlerContext) {
        presence.end()
        timer?.task.cancel()
        timer = nil
        context.fireChannelInactive()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event is ConnectionTable.Shed { return giveUp(context) }
        if case .some(.inputClosed) = event as? ChannelEvent { noteHalfClose(context) }
        context.fireUserInboundEventTriggered(event)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head:
            openCount += 1
            isReading = true
            place.map { $0.table.noteRequest(of: $0.number) }
            awaitClient(for: limits.headTimeout, context)
        case .body: break
        case .end:
            isReading = false
            if !isEnding { readDeadline = nil }
        }
        context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch unwrapOutboundIn(data) {
        case .head: break
        case .body(let bytes): answerByteCount += bytes.readableBytes
        case .end:
            let sent = promise ?? context.eventLoop.makePromise(of: Void.self)
            noteAnswer(sent.futureResult, context)
            return context.write(data, promise: sent)
        }
        context.write(data, promise: promise)
    }

    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        if mode == .output {
            isEnding = true
            awaitClient(for: ListenerLimits.lingerTimeout, context)
        }
        context.close(mode: mode, promise: promise)
    }

    private func noteAnswer(_ sent: EventLoopFuture<Void>, _ context: ChannelHandlerContext) {
        openCount -= 1
        answersInFlight += 1
        let extra = Duration.seconds(answerByteCount / max(1, limits.bytesPerSecondMin))
        answerByteCount = 0
        let deadline = context.eventLoop.now + TimeAmount(limits.writeTimeout + extra)
        writeDeadline = max(deadline, writeDeadline ?? deadline)
        ensureTimer(by: deadline, context)
        if openCount <= 0, !isReading, !isEnding {
            awaitClient(for: limits.idleTimeout, context)
            place.map { $0.table.noteWait(of: $0.number) }
        }
        sent.assumeIsolated().whenComplete { [self] _ in
            answersInFlight -= 1
            if answersInFlight == 0 { writeDeadline = nil }
        }
    }

    /// The client sends no more: it has left, or waits for what it has asked for.
    private func noteHalfClose(_ context: ChannelHandlerContext) {
        guard openCount > 0 else { return presence.end() }
        let presence = presence
        context.eventLoop.scheduleTask(in: TimeAmount(ListenerLimits.halfCloseGrace)) { presence.end() }
    }

    /// Closes the connection for the sake of another if no request is under way, else has the next one asked.
    private func giveUp(_ context: ChannelHandlerContext) {
        guard openCount <= 0, !isReading else {
            place?.table.relieve()
            return
        }
        presence.end()
        context.close(promise: nil)
    }

    private func awaitClient(for time: Duration, _ context: ChannelHandlerContext) {
        let deadline = context.eventLoop.now + TimeAmount(time)
        readDeadline = deadline
        ensureTimer(by: deadline, context)
    }

    private func ensureTimer(by deadline: NIODeadline, _ context: ChannelHandlerContext) {
        if let timer, timer.time <= deadline { return }
        timer?.task.cancel()
        let task = context.eventLoop.assumeIsolated().scheduleTask(deadline: deadline) { [self] in
            timer = nil
            check(context)
        }
        timer = (task, deadline)
    }

    private func check(_ context: ChannelHandlerContext) {
        let now = context.eventLoop.now
        let deadlines = [readDeadline, writeDeadline].compactMap(\.self)
        guard let next = deadlines.min() else { return }
        guard next > now else {
            presence.end()
            return context.close(promise: nil)
        }
        ensureTimer(by: next, context)
    }
}
