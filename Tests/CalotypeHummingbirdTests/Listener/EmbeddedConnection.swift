import HTTPTypes
import NIOCore
import NIOEmbedded
import NIOHTTPTypes

/// A connection in memory with a manual clock.
protocol EmbeddedConnection {
    var channel: EmbeddedChannel { get }
}

extension EmbeddedConnection {
    func wait(_ seconds: Int64) { channel.embeddedEventLoop.advanceTime(by: .seconds(seconds)) }

    func receiveHead() throws {
        let head = HTTPRequest(method: .get, scheme: "http", authority: "a.test", path: "/")
        try channel.writeInbound(HTTPRequestPart.head(head))
    }

    func receive() throws {
        try receiveHead()
        try channel.writeInbound(HTTPRequestPart.end(nil))
    }
}
