import NIOCore
import NIOHTTP1

/// Enforces rules of RFC 9112 on request headers beyond the grammar, while the version is known.
///
/// Nothing is read after a rejected header.
final class HeaderRules: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart

    /// An error in a request header.
    enum Mistake: Error {
        /// `Host` is missing, repeated or invalid (§3.2); with the request's `Accept`.
        case host(accept: String?)
    }

    private let offers: ProtocolOffers
    private var isRefused = false
    /// Whether the current request offers another protocol, and whether it is the last one.
    private var (isOffering, isLast) = (false, false)

    init(_ offers: ProtocolOffers) { self.offers = offers }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isRefused else { return }
        switch unwrapInboundIn(data) {
        case .head(let head): read(head, context)
        case .body: context.fireChannelRead(data)
        case .end:
            (offers.isReached, offers.isOver, offers.isBetween) = (isOffering, isLast, true)
            isRefused = isLast
            context.fireChannelRead(data)
        }
    }

    private func read(_ head: HTTPRequestHead, _ context: ChannelHandlerContext) {
        var head = head
        guard Self.hasGoodHost(head) else {
            (isRefused, offers.isOver) = (true, true)
            return context.fireErrorCaught(Mistake.host(accept: head.headers["Accept"].first))
        }
        isOffering = Self.isOffer(head)
        // Only the other protocol defines the end of its body: nothing after it is a request.
        isLast = isOffering && Self.hasBody(head)
        // An HTTP/1.0 client waits for the end of the connection, and responses are HTTP/1.1.
        if isLast || Self.isOld(head) {
            head.headers.replaceOrAdd(name: "Connection", value: "close")
            // HTTP/1.0 has no interim responses.
            if Self.isOld(head) { head.headers.remove(name: "Expect") }
        }
        context.fireChannelRead(wrapInboundOut(.head(head)))
    }

    /// Whether the parser treats a request as one that changes the protocol, or may do so.
    private static func isOffer(_ head: HTTPRequestHead) -> Bool {
        head.method == .CONNECT || head.headers.contains(name: "Upgrade")
    }

    private static func hasBody(_ head: HTTPRequestHead) -> Bool {
        head.headers.contains(name: "Transfer-Encoding")
            || head.headers["Content-Length"].contains { $0 != "0" }
    }

    private static func isOld(_ head: HTTPRequestHead) -> Bool { head.version == .http1_0 }

    /// Whether there is exactly one `Host`; HTTP/1.0 has none.
    private static func hasGoodHost(_ head: HTTPRequestHead) -> Bool {
        var count = 0
        for (name, value) in head.headers where name.utf8.count == 4 && name.lowercased() == "host" {
            count += 1
            guard count == 1, isHost(value) else { return false }
        }
        return count == 1 || isOld(head)
    }

    /// Whether a text is a host with an optional port, or empty (RFC 9110 §7.2, RFC 3986 §3.2.2).
    static func isHost(_ text: String) -> Bool {
        var rest = text.utf8[...]
        if rest.first == UInt8(ascii: "[") {
            guard let end = rest.firstIndex(of: UInt8(ascii: "]")) else { return false }
            let address = rest[..<end].dropFirst()
            guard !address.isEmpty, address.allSatisfy({ isHexadecimal($0) || ":.".utf8.contains($0) }) else {
                return false
            }
            rest = rest[end...].dropFirst()
        } else {
            rest = rest.drop(while: isOfName)
        }
        guard let colon = rest.first else { return true }
        return colon == UInt8(ascii: ":") && rest.dropFirst().allSatisfy { (48...57).contains($0) }
    }

    private static func isHexadecimal(_ byte: UInt8) -> Bool {
        (48...57).contains(byte) || (65...70).contains(byte) || (97...102).contains(byte)
    }

    private static func isOfName(_ byte: UInt8) -> Bool {
        (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte)
            || "-._~%!$&'()*+,;=".utf8.contains(byte)
    }
}
