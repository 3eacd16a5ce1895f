import NIOCore
import NIOHTTP1

/// Decodes requests, and continues after a request that offers another protocol.
///
/// NIO's decoder stops at the end of such a request, whether or not the protocol changes. Here it never
/// changes: `Upgrade` is ignored, as RFC 9110 §7.8 allows, and `CONNECT` is refused. A new decoder takes over
/// at the end of the message. A message without a body ends with a line, so after an offer the decoder gets
/// one line at a time and has read nothing past the end.
final class RequestDecoder: ByteToMessageDecoder {
    typealias InboundOut = HTTPServerRequestPart

    private let limits: NIOHTTPDecoderLimitConfiguration
    private let offers: ProtocolOffers
    private var decoder: HTTPRequestDecoder
    /// The number of leading bytes that the decoder has seen and needs again.
    private var seenCount = 0
    /// The last eight bytes, with letters in lower case.
    private var last: UInt64 = 0
    private var hasOffer = false

    init(_ limits: NIOHTTPDecoderLimitConfiguration, _ offers: ProtocolOffers) {
        (self.limits, self.offers) = (limits, offers)
        decoder = HTTPRequestDecoder(limitConfiguration: limits)
    }

    func decoderAdded(context: ChannelHandlerContext) { decoder.decoderAdded(context: context) }

    func decoderRemoved(context: ChannelHandlerContext) { decoder.decoderRemoved(context: context) }

    func decode(context: ChannelHandlerContext, buffer: inout ByteBuffer) throws -> DecodingState {
        if !hasOffer { look(at: buffer) }
        if buffer.readableBytes > seenCount { offers.isBetween = false }
        while !offers.isOver, buffer.readableBytes > seenCount {
            try feed(context, &buffer)
            guard offers.isReached else { continue }
            offers.isReached = false
            decoder.decoderRemoved(context: context)
            decoder = HTTPRequestDecoder(limitConfiguration: limits)
            decoder.decoderAdded(context: context)
        }
        // Nothing after the last request is read.
        if offers.isOver { (buffer, seenCount) = (ByteBuffer(), 0) }
        if !offers.isBetween || seenCount > 0 {
            context.fireUserInboundEventTriggered(ProtocolOffers.MessageBegan())
        }
        return .needMoreData
    }

    func decodeLast(
        context: ChannelHandlerContext,
        buffer: inout ByteBuffer,
        seenEOF: Bool
    ) throws -> DecodingState {
        _ = try decode(context: context, buffer: &buffer)
        guard !offers.isOver else { return .needMoreData }
        return try decoder.decodeLast(context: context, buffer: &buffer, seenEOF: seenEOF)
    }

    /// Passes all bytes to the decoder, or only the next line after an offer.
    private func feed(_ context: ChannelHandlerContext, _ buffer: inout ByteBuffer) throws {
        guard hasOffer else {
            _ = try decoder.decode(context: context, buffer: &buffer)
            seenCount = buffer.readableBytes
            return
        }
        let rest = buffer.readableBytesView.dropFirst(seenCount)
        let end = rest.firstIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? rest.endIndex
        let count = end - buffer.readerIndex
        guard var line = buffer.getSlice(at: buffer.readerIndex, length: count) else { return }
        _ = try decoder.decode(context: context, buffer: &line)
        buffer.moveReaderIndex(forwardBy: count - line.readableBytes)
        seenCount = line.readableBytes
    }

    /// Searches for the field name or the method that every offer contains.
    private func look(at buffer: ByteBuffer) {
        let (field, method) = (Self.field, Self.method)
        (last, hasOffer) = buffer.withUnsafeReadableBytes { bytes in
            var (last, index) = (last, seenCount)
            while index < bytes.count {
                last = last << 8 | UInt64(bytes[index] | 0x20)
                if last == field || last == method { return (last, true) }
                index += 1
            }
            return (last, false)
        }
    }

    private static let field = number("upgrade:")
    private static let method = number("connect ")

    private static func number(_ text: String) -> UInt64 { text.utf8.reduce(0) { $0 << 8 | UInt64($1) } }
}

/// The state of a connection with respect to offers of another protocol.
final class ProtocolOffers {
    /// Whether the end of a request with an offer has just been read.
    var isReached = false
    /// Whether no further request is read.
    var isOver = false
    /// Whether nothing has been received since the end of the last request.
    var isBetween = true

    /// An event: part of a request, but not its end, has been received.
    struct MessageBegan: Sendable {}
}
