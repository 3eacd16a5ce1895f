import HTTPTypes
import NIOCore
import NIOHTTPTypes

/// Closes connections of slow clients, and detects disconnected clients.
///
/// Uses one timer per connection: it is rescheduled when it fires, not with each request.
final class ConnectionGuard: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private let limits: ListenerLimits
    private let presence: ClientPresence
    private let place: Place?

    /// An entry in the connection table of the listener.
    struct Place: Sendable {
        let table: ConnectionTable
        let number: Int
    }

    /// The time limit for the client's next input; `nil` while none is expected.
    private var awaited: Duration?
    /// The deadline for that input; it starts once all responses have been sent.
    private var readDeadline: NIODeadline?
    /// The deadline for sending the written responses.
    private var writeDeadline: NIODeadline?
    private var timer: (task: Scheduled<Void>, time: NIODeadline)?
    /// The number of requests that have started and are not answered.
    private var openCount = 0
    private var isReading = false
    /// Whether part of a header has been received.
    private var hasBegun = false
    private var isEnding = false
    /// Whether the client has closed its side and the grace period is over.
    private var isGraceOver = false
    /// The bytes of the response that is being written.
    private var answerByteCount = 0
    /// The time at which its header was written.
    private var answerStart = NIODeadline.uptimeNanoseconds(0)
    /// The number of responses whose writing has begun, and that are not sent.
    private var answersInFlight = 0
    /// A close that is deferred until the responses in flight are sent.
    private var heldClose: (mode: CloseMode, promise: EventLoopPromise<Void>?)?

    init(_ limits: ListenerLimits, _ presence: ClientPresence, _ place: Place? = nil) {
        (self.limits, self.presence, self.place) = (limits, presence, place)
    }

    func handlerAdded(context: ChannelHandlerContext) {
        if context.channel.isActive { awaitClient(for: limits.headerTimeout, context) }
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        timer?.task.cancel()
        timer = nil
        heldClose?.promise?.fail(ChannelError.ioOnClosedChannel)
        heldClose = nil
    }

    func channelActive(context: ChannelHandlerContext) {
        awaitClient(for: limits.headerTimeout, context)
        context.fireChannelActive()
    }

    func channelInactive(context: ChannelHandlerContext) {
        presence.end()
        timer?.task.cancel()
        timer = nil
        context.fireChannelInactive()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if let shed = event as? ConnectionTable.Shed { return giveUp(context, shed) }
        if event is ProtocolOffers.MessageBegan { return noteBeginning() }
        if case .some(.inputClosed) = event as? ChannelEvent { noteHalfClose(context) }
        context.fireUserInboundEventTriggered(event)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            openCount += 1
            (hasBegun, isReading) = (false, true)
            place.map { $0.table.noteRequest(of: $0.number) }
            let uploadTimeout = head.method == .post ? limits.uploadTimeout : nil
            awaitClient(for: uploadTimeout ?? limits.headerTimeout, context)
        case .body: break
        case .end:
            isReading = false
            if !isEnding { (awaited, readDeadline) = (nil, nil) }
        }
        context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch unwrapOutboundIn(data) {
        case .head(let head): if head.status.kind != .informational { beginAnswer(context) }
        case .body(let bytes):
            answerByteCount += bytes.readableBytes
            limitSending(context)
        case .end:
            let sent = promise ?? context.eventLoop.makePromise(of: Void.self)
            noteAnswer(sent.futureResult, context)
            return context.write(data, promise: sent)
        }
        context.write(data, promise: promise)
    }

    /// Closes the connection, or its sending side, once the responses in flight have been sent.
    ///
    /// NIO drops unsent bytes when it closes, also when it closes the sending side after a client has closed
    /// its own.
    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        if mode == .output {
            isEnding = true
            awaitClient(for: ListenerLimits.lingerTimeout, context)
        }
        guard mode != .input, answersInFlight > 0, !presence.hasEnded else {
            return context.close(mode: mode, promise: promise)
        }
        guard let held = heldClose else { return heldClose = (mode, promise) }
        if let promise, let first = held.promise { first.futureResult.cascade(to: promise) }
        heldClose = (mode == .all ? .all : held.mode, held.promise ?? promise)
    }

    private func beginAnswer(_ context: ChannelHandlerContext) {
        answersInFlight += 1
        (answerStart, answerByteCount, readDeadline) = (context.eventLoop.now, 0, nil)
        limitSending(context)
    }

    /// Sets the time limit for sending what has been written of a response.
    ///
    /// A long one is written as the client takes it, and gets its time with the bytes.
    private func limitSending(_ context: ChannelHandlerContext) {
        let extra = Duration.seconds(answerByteCount / max(1, limits.minBytesPerSecond))
        let deadline = answerStart + TimeAmount(limits.writeTimeout + extra)
        writeDeadline = max(deadline, writeDeadline ?? deadline)
        ensureTimer(by: deadline, context)
    }

    private func noteAnswer(_ sent: EventLoopFuture<Void>, _ context: ChannelHandlerContext) {
        openCount -= 1
        if openCount <= 0, !isReading, !isEnding { awaited = limits.idleTimeout }
        sent.assumeIsolated().whenComplete { [self] _ in
            answersInFlight -= 1
            if answersInFlight == 0 { noteSent(context) }
        }
    }

    /// Called when all written responses have been sent.
    private func noteSent(_ context: ChannelHandlerContext) {
        writeDeadline = nil
        if let held = heldClose {
            heldClose = nil
            context.close(mode: held.mode, promise: held.promise)
        }
        guard context.channel.isActive else { return }
        if let awaited { awaitClient(for: awaited, context) }
        if isIdle, !isEnding { place.map { $0.table.noteWait(of: $0.number, hasBegun: hasBegun) } }
        endIfLeft()
    }

    /// Whether no request is being read or answered, and nothing is unsent.
    private var isIdle: Bool { openCount <= 0 && !isReading && answersInFlight == 0 }

    /// Handles a half-closed connection: the client has disconnected, or still waits for responses.
    private func noteHalfClose(_ context: ChannelHandlerContext) {
        guard !isIdle else { return presence.end() }
        context.eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(ListenerLimits.halfCloseGrace)) {
            [self] in
            isGraceOver = true
            endIfLeft()
        }
    }

    /// Cancels responses after the grace period of a half-closed connection.
    ///
    /// Responses in flight are sent first. A connection without further requests ends by itself.
    private func endIfLeft() {
        if isGraceOver, openCount > 0, answersInFlight == 0 { presence.end() }
    }

    /// Records that part of a request has been received; it may belong to a known header.
    private func noteBeginning() {
        guard !isReading, !hasBegun else { return }
        hasBegun = true
        if isIdle, !isEnding { place.map { $0.table.noteWait(of: $0.number, hasBegun: true) } }
    }

    /// Closes an idle connection to make room, else asks the table for the next one.
    private func giveUp(_ context: ChannelHandlerContext, _ shed: ConnectionTable.Shed) {
        guard isIdle, !hasBegun || shed.isGraceOver else {
            place?.table.relieve()
            return
        }
        presence.end()
        context.close(promise: nil)
    }

    /// Sets the time limit for input, starting once all responses have been sent; sending has its own limits.
    private func awaitClient(for time: Duration, _ context: ChannelHandlerContext) {
        awaited = time
        guard answersInFlight == 0 else { return readDeadline = nil }
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
