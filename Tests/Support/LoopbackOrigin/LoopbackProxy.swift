import NIOCore
import NIOPosix

/// A small proxy on 127.0.0.1 that opens tunnels by `CONNECT`, for tests.
package final class LoopbackProxy: Sendable {
    /// The header of a client's request, line by line.
    package typealias Request = [String]

    /// The port on 127.0.0.1, chosen by the system.
    package let port: Int
    package let requests: AsyncStream<Request>

    private let channel: any Channel
    private let heard: AsyncStream<Request>.Continuation

    private init(
        _ channel: any Channel,
        _ port: Int,
        _ requests: AsyncStream<Request>,
        _ heard: AsyncStream<Request>.Continuation
    ) {
        self.channel = channel
        self.port = port
        self.requests = requests
        self.heard = heard
    }

    /// Starts a proxy.
    ///
    /// - Parameters:
    ///   - authorization: The required value of `Proxy-Authorization`, or `nil` for none.
    ///   - target: The port on 127.0.0.1 that every tunnel leads to, whatever is requested.
    /// - Returns: The proxy, which is listening.
    /// - Throws: The system's error if no socket can be opened.
    package static func start(authorization: String? = nil, to target: Int) async throws -> LoopbackProxy {
        let (requests, heard) = AsyncStream.makeStream(
            of: Request.self,
            bufferingPolicy: .bufferingOldest(64)
        )
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let handler = TunnelHandler(authorization, target) { heard.yield($0) }
                    try channel.pipeline.syncOperations.addHandler(handler)
                }
            }
            .bind(host: "127.0.0.1", port: 0)
            .get()
        guard let port = channel.localAddress?.port else { throw ChannelError.unknownLocalAddress }
        return LoopbackProxy(channel, port, requests, heard)
    }

    /// Stops accepting connections; a tunnel ends when either side closes it.
    package func close() async {
        heard.finish()
        do {
            try await channel.close()
        } catch {
            // It was already closed.
        }
    }
}

/// Reads the header of a request for a tunnel, opens it, and forwards bytes from then on.
private final class TunnelHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let authorization: String?
    private let target: Int
    private let hear: (LoopbackProxy.Request) -> Void
    private var head = ""
    private var isAsking = false
    private var otherEnd: (any Channel)?

    init(_ authorization: String?, _ target: Int, _ hear: @escaping (LoopbackProxy.Request) -> Void) {
        self.authorization = authorization
        self.target = target
        self.hear = hear
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let bytes = unwrapInboundIn(data)
        if let otherEnd {
            otherEnd.writeAndFlush(bytes, promise: nil)
        } else if !isAsking {
            head += String(buffer: bytes)
            if head.hasSuffix("\r\n\r\n") { open(context) }
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        otherEnd?.close(promise: nil)
        context.fireChannelInactive()
    }

    private func open(_ context: ChannelHandlerContext) {
        isAsking = true
        let request = head.split(separator: "\r\n").map(String.init)
        hear(request)
        let isWelcome =
            authorization.map { expected in
                request.contains { $0.lowercased() == "proxy-authorization: \(expected)".lowercased() }
            } ?? true
        let client = context.channel
        guard isWelcome else {
            return answer("407 Proxy Authentication Required", client)
        }
        let bound = NIOLoopBound(self, eventLoop: context.eventLoop)
        ClientBootstrap(group: context.eventLoop)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(ReturnHandler(client))
                }
            }
            .connect(host: "127.0.0.1", port: target)
            .assumeIsolated()
            .whenComplete { result in
                switch result {
                case .success(let channel):
                    bound.value.otherEnd = channel
                    bound.value.answer("200 Connected", client)
                case .failure:
                    bound.value.answer("502 Bad Gateway", client)
                }
            }
    }

    private func answer(_ status: String, _ client: any Channel) {
        client.writeAndFlush(ByteBuffer(string: "HTTP/1.1 \(status)\r\n\r\n"), promise: nil)
    }
}

/// Forwards bytes from the other end of the tunnel.
private final class ReturnHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let client: any Channel

    init(_ client: any Channel) {
        self.client = client
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        client.writeAndFlush(unwrapInboundIn(data), promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) {
        client.close(promise: nil)
        context.fireChannelInactive()
    }
}
