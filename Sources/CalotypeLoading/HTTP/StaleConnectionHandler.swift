import AsyncHTTPClient
import NIOCore
import NIOHTTP1

/// A connection that had been kept was closed by the other side before it answered the next request.
struct StaleConnection: Error {
    /// How often a request that failed so may be sent again.
    ///
    /// Each kept connection can be found closed once. One of the client's own errors says that a connection
    /// closed before it was used at all.
    static func retryCountMax(_ error: any Error, _ configuration: HTTPDataLoader.Configuration) -> Int {
        if error is StaleConnection { return configuration.fetchConcurrencyPerHostMax }
        let isUnused =
            error as? HTTPClientError == .remoteConnectionClosed
            || error as? ChannelError == .ioOnClosedChannel
        return isUnused ? 1 : 0
    }
}

/// A new connection was closed by the other side before it answered its first request.
struct UnansweredRequest: Error {}

/// Tells apart how a connection ends on which a request waits for the first byte of its answer.
final class StaleConnectionHandler: ChannelDuplexHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias InboundOut = HTTPClientResponsePart
    typealias OutboundIn = HTTPClientRequestPart
    typealias OutboundOut = HTTPClientRequestPart

    private var answerCount = 0
    private var isWaiting = false

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        isWaiting = true
        context.write(data, promise: promise)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        isWaiting = false
        if case .end = unwrapInboundIn(data) { answerCount += 1 }
        context.fireChannelRead(data)
    }

    func channelInactive(context: ChannelHandlerContext) {
        if isWaiting {
            isWaiting = false
            context.fireErrorCaught(answerCount > 0 ? StaleConnection() : UnansweredRequest())
        }
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // The parser complains of bytes: something came, and sending again would ask twice.
        let isStale = isWaiting && answerCount > 0 && !(error is HTTPParserError)
        isWaiting = false
        context.fireErrorCaught(isStale ? StaleConnection() : error)
    }
}
