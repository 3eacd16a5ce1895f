import NIOCore
import NIOExtras

/// Delays the end of an idle connection when the listener stops.
///
/// The response to its next request says that it is the last one. If the connection were closed at once, a
/// request on the way would be lost.
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
