import NIOCore
import NIOHTTP1
import NIOPosix

struct OriginServer {
    let channel: any Channel
    private let accepted: OriginQueue<OriginConnection>
    private let acceptLoop: Task<Void, Never>

    static func start(
        _ host: String,
        _ activity: OriginActivity,
        _ handler: @escaping LoopbackOrigin.Handler
    ) async throws -> Self {
        let accepted = OriginQueue<OriginConnection>()
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.backlog, value: 256)
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let requests = try OriginRequestHandler.add(to: channel)
                    let connection = OriginConnection(channel, requests, activity, handler)
                    if !accepted.append(connection) { channel.close(promise: nil) }
                }
            }
            .bind(host: host, port: 0)
            .get()
        let acceptLoop = Task {
            await withDiscardingTaskGroup { group in
                while let connection = await accepted.next() {
                    group.addTask { await connection.run() }
                }
                group.cancelAll()
            }
        }
        return Self(channel: channel, accepted: accepted, acceptLoop: acceptLoop)
    }

    /// Closes the socket, then every accepted connection; the loop is not cancelled, since it could then miss
    /// one.
    func close() async {
        do {
            try await channel.close()
        } catch {
            // It was already closed.
        }
        accepted.finish()
        await acceptLoop.value
    }
}

/// Assembles complete requests from the parser's parts.
final class OriginRequestHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart

    /// The maximum number of waiting requests on a connection; more, which no client of ours sends, are
    /// dropped.
    private static let maxWaitingCount = 64

    private let requests: OriginQueue<HTTPRequestHead>
    private var head: HTTPRequestHead?

    private init(_ requests: OriginQueue<HTTPRequestHead>) {
        self.requests = requests
    }

    /// Adds parser and handler to a new connection; its requests end with it.
    static func add(to channel: any Channel) throws -> OriginQueue<HTTPRequestHead> {
        let requests = OriginQueue<HTTPRequestHead>(maxCount: maxWaitingCount)
        let handlers = channel.pipeline.syncOperations
        try handlers.addHandler(ByteToMessageHandler(HTTPRequestDecoder()))
        try handlers.addHandler(OriginRequestHandler(requests))
        return requests
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let received): head = received
        case .body: break
        case .end:
            if let head = head.take() { requests.append(head) }
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        requests.finish()
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // Input that is not HTTP gets no response.
        context.close(promise: nil)
    }
}
