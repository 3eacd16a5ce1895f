import NIOCore
import NIOPosix

/// A client that sends bytes as they are, and reads what comes.
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

    /// Sends texts, one after the other, and reads until the other side closes, or what has come has `end`.
    func exchange(_ texts: [String], until end: String? = nil) async throws -> String {
        try await stream.executeThenClose { inbound, outbound in
            do {
                for text in texts { try await outbound.write(ByteBuffer(string: text)) }
            } catch is ChannelError {
                // The other side has closed before all was sent: it may have answered what had come.
            } catch is NIOAsyncWriterError {
                // The same.
            }
            var received = ""
            do {
                for try await bytes in inbound {
                    received += String(buffer: bytes)
                    if let end, received.contains(end) { break }
                }
            } catch is IOError {
                // The other side has broken it off: what has come is what there is.
            }
            return received
        }
    }

    /// Sends a text, closes the sending side, and reads until the other side closes.
    ///
    /// - Returns: The number of bytes that have come.
    func byteCount(afterClosingBehind text: String) async throws -> Int {
        try await stream.executeThenClose { inbound, outbound in
            try await outbound.write(ByteBuffer(string: text))
            outbound.finish()
            var count = 0
            for try await bytes in inbound { count += bytes.readableBytes }
            return count
        }
    }

    /// Sends a text, and closes once `ready` returns.
    func leave(after text: String, once ready: @escaping @Sendable () async -> Void) async throws {
        try await stream.executeThenClose { _, outbound in
            try await outbound.write(ByteBuffer(string: text))
            await ready()
        }
    }

    /// Sends a text, waits until what has come has `end`, and keeps the connection while a body runs.
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
