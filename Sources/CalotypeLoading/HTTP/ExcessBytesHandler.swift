import NIOCore
import NIOHTTP1

/// Fails an answer whose body goes on after its announced end, and keeps what nobody asked for from the
/// parser.
///
/// To the parser such bytes are the beginning of another answer, and the body before them a whole one. This
/// handler, right behind the parser, keeps the end of an answer back until the bytes that came with it have
/// been looked at. Bytes that come later, when the answer has been handed over, only close the connection:
/// ``UnaskedBytesHandler``.
final class ExcessBytesHandler: ChannelDuplexHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias InboundOut = HTTPClientResponsePart
    typealias OutboundIn = HTTPClientRequestPart
    typealias OutboundOut = HTTPClientRequestPart

    /// The bytes of the answer that is expected or comes; `nil` while no request is under way.
    private var answer: AnswerBytes?
    private var heldEnd: HTTPClientResponsePart?

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if case .head = unwrapOutboundIn(data) { answer = AnswerBytes() }
        context.write(data, promise: promise)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let part = unwrapInboundIn(data)
        switch part {
        case .head(let head):
            if head.status.code < 200 { answer?.isInformed = true }
            answer?.isChunked = head.headers.contains(name: "Transfer-Encoding")
        case .body(let bytes):
            answer?.bodyByteCount += bytes.readableBytes
        case .end:
            heldEnd = part
            return
        }
        context.fireChannelRead(data)
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
        let isParserError = error is HTTPParserError || error is NIOHTTPDecoderError
        guard heldEnd.take() != nil, isParserError else {
            return context.fireErrorCaught(error)
        }
        context.fireErrorCaught(Self.excess)
    }

    private func releaseEnd(_ context: ChannelHandlerContext) {
        guard let end = heldEnd.take(), let verdict = answer.take()?.end else { return }
        if verdict == .excess { return context.fireErrorCaught(Self.excess) }
        context.fireChannelRead(wrapInboundOut(end))
        if verdict == .unknown { context.close(promise: nil) }
    }

    private static let excess = FetchError(
        .lengthMismatch,
        detail: "bytes follow after the announced end of the body"
    )
}

extension ExcessBytesHandler {
    /// Takes note of bytes; tells whether somebody has asked for them.
    fileprivate func count(_ bytes: ByteBuffer) -> Bool {
        answer?.add(bytes.readableBytesView)
        return answer != nil
    }
}

/// Closes a connection on which bytes come that nobody has asked for, before the parser has seen them.
final class UnaskedBytesHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private let answers: ExcessBytesHandler

    init(_ answers: ExcessBytesHandler) {
        self.answers = answers
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if answers.count(unwrapInboundIn(data)) {
            context.fireChannelRead(data)
        } else {
            context.close(promise: nil)
        }
    }
}
