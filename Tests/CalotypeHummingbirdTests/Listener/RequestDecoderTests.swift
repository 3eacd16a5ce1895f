import NIOCore
import NIOEmbedded
import NIOHTTP1
import TestSupport
import Testing

@testable import CalotypeHummingbird

/// Counts the partial requests reported by the decoder.
private final class Beginnings: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    var count = 0

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event is ProtocolOffers.MessageBegan { count += 1 }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {}
}

@Suite(.gated) struct RequestDecoderTests {
    private static let request = "GET / HTTP/1.1\r\nHost: a.test\r\n\r\n"
    private static let offer = "GET / HTTP/1.1\r\nHost: a.test\r\nUpgrade: h2c\r\n\r\n"

    @Test(arguments: [
        ([request], 0), ([request, request], 0), ([request + request], 0), ([offer, request], 0),
        (["G"], 1), (["GET / HTTP/1.1\r\n"], 1), (["GET / HTTP/1.1\r\nHo"], 1), ([request, "GET /"], 1),
        ([request + "GET /"], 1), (["GET / HTTP/1.1\r\n", "Host: a.test\r\n\r\n"], 1),
        ([offer + "GET /"], 1), ([offer, "GET / HT", "TP/1.1\r\nHost: a.test\r\n\r\n", request], 1),
    ])
    func `a partial request is reported, and a complete one is not`(texts: [String], count: Int) throws {
        let (offers, beginnings) = (ProtocolOffers(), Beginnings())
        let decoder = ByteToMessageHandler(RequestDecoder(NIOHTTPDecoderLimitConfiguration(), offers))
        let channel = EmbeddedChannel(handlers: [decoder, HeaderRules(offers), beginnings])
        for text in texts { try channel.writeInbound(ByteBuffer(string: text)) }
        #expect(beginnings.count == count)
        _ = Result { try channel.finish() }
    }
}
