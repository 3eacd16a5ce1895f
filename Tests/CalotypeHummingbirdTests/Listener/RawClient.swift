import NIOCore
import NIOPosix

/// A client that sends raw bytes and reads the response.
struct RawClient: Sendable {
    private let stream: NIOAsyncChannel<ByteBuffer, ByteBuffer>

    static func connect(_ port: Int) async throws -> RawClient {
        let stream = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connect(host: "127.0.0.1", port: port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try NIOAsyncChannel<ByteBuffer, ByteBuffer>(
                        wrappingChannelSynchronously: channel,
                        configuration: .init(isOutboundHalfClosureEnabled: true)
                    )
                }
            }
        return RawClient(stream: stream)
    }

    /// Sends texts in order, and reads until the other side closes or the received text contains `end`.
    func exchange(_ texts: [String], until end: String? = nil) async throws -> String {
        String(decoding: try await exchange(bytes: texts.map { Array($0.utf8) }, until: end), as: UTF8.self)
    }

    /// Sends chunks of bytes in order, and reads until the other side closes or the received bytes contain
    /// `end`.
    func exchange(bytes chunks: [[UInt8]], until end: String? = nil) async throws -> [UInt8] {
        try await stream.executeThenClose { inbound, outbound in
            do {
                for chunk in chunks { try await outbound.write(ByteBuffer(bytes: chunk)) }
            } catch is ChannelError {
                // The other side closed before all was sent: it may have responded to the received part.
            } catch is NIOAsyncWriterError {
                // As above.
            }
            var received: [UInt8] = []
            do {
                for try await bytes in inbound {
                    received += bytes.readableBytesView
                    if let end, String(decoding: received, as: UTF8.self).contains(end) { break }
                }
            } catch is IOError {
                // The other side reset the connection: the received bytes are the result.
            }
            return received
        }
    }

    /// Sends a text, closes the sending side, and reads until the other side closes.
    func byteCount(afterClosingBehind text: String) async throws -> Int {
        try await stream.executeThenClose { inbound, outbound in
            try await outbound.write(ByteBuffer(string: text))
            outbound.finish()
            var count = 0
            for try await bytes in inbound { count += bytes.readableBytes }
            return count
        }
    }

    /// Sends a text, and closes when `ready` returns.
    func leave(after text: String, once ready: @escaping @Sendable () async -> Void) async throws {
        try await stream.executeThenClose { _, outbound in
            try await outbound.write(ByteBuffer(string: text))
            await ready()
        }
    }

    /// Sends a text, waits until the received text contains `end`, and holds the connection during a body.
    func hold(
        after text: String = "",
        once end: String = "",
        _ body: @escaping @Sendable () async throws -> Void
    ) async throws {
        try await stream.executeThenClose { inbound, outbound in
            if !text.isEmpty { try await outbound.write(ByteBuffer(string: text)) }
            var (received, parts) = ("", inbound.makeAsyncIterator())
            while !received.contains(end), !end.isEmpty, let bytes = try await parts.next() {
                received += String(buffer: bytes)
            }
            try await body()
        }
    }
}
