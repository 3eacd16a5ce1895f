import NIOCore
import NIOExtras

/// Leaves a connection that waits for its next request a moment for it when the listener stops.
///
/// The answer to it tells the client that it is the last one. A connection that is closed at once may have a
/// request on the way, which would be lost.
final class IdleGrace: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = NIOAny

    private let grace: TimeAmount
    private var end: Scheduled<Void>?

    init(_ grace: TimeAmount) {
        self.grace = grace
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard event is ChannelShouldQuiesceEvent, end == nil else {
            return context.fireUserInboundEventTriggered(event)
        }
        end = context.eventLoop.assumeIsolated().scheduleTask(in: grace) {
            context.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent())
        }
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        end?.cancel()
    }
}
