import NIOCore
import NIOHTTP1

/// Fails an answer whose body goes on after its announced end.
///
/// To the parser such bytes are the beginning of another answer that nobody asked for, and the body before
/// them a whole one. This handler, right behind the parser, keeps the end of an answer back until the bytes
/// that came with it have been looked at; an error in between says that the announced size is too small.
/// Bytes that come later, when the answer has been handed over, only close the connection.
final class ExcessBytesHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias InboundOut = HTTPClientResponsePart

    private var heldEnd: HTTPClientResponsePart?

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let part = unwrapInboundIn(data)
        guard case .end = part else {
            return context.fireChannelRead(data)
        }
        heldEnd = part
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        releaseEnd(context)
        context.fireChannelReadComplete()
    }

    func channelInactive(context: ChannelHandlerContext) {
        releaseEnd(context)
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard heldEnd.take() != nil, error is HTTPParserError else {
            return context.fireErrorCaught(error)
        }
        context.fireErrorCaught(
            FetchError(.lengthMismatch, detail: "bytes follow after the announced end of the body")
        )
    }

    private func releaseEnd(_ context: ChannelHandlerContext) {
        if let end = heldEnd.take() {
            context.fireChannelRead(wrapInboundOut(end))
        }
    }
}
