import NIOCore
import NIOPosix

/// A small proxy on 127.0.0.1 that opens tunnels by `CONNECT`, for tests.
package final class LoopbackProxy: Sendable {
    /// What a client has asked for: the head of its request, line by line.
    package typealias Request = [String]

    /// The port on 127.0.0.1, chosen by the system.
    package let port: Int
    /// The requests for tunnels, in the order they came.
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
    ///   - authorization: The value that `Proxy-Authorization` must have, or `nil` where anybody may come.
    ///   - target: The port on 127.0.0.1 that every tunnel leads to, whatever it is asked for.
    /// - Returns: The proxy, which listens.
    /// - Throws: The system's error where no socket can be had.
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

    /// Takes no more connections; tunnels end with either of their ends.
    package func close() async {
        heard.finish()
        do {
            try await channel.close()
        } catch {
            // It was closed already.
        }
    }
}

/// Reads the head of a request for a tunnel, opens it, and passes bytes on from then on.
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

/// Passes on what the tunnel's other end sends.
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
