public import FoundationEssentials
import NIOCore
import NIOHTTP1
import NIOPosix

/// Asks the admin listener of a running service.
public struct AdminClient: Sendable {
    /// What it answers.
    public struct Answer: Hashable, Sendable {
        /// The status of HTTP.
        public var status: Int
        /// The body.
        public var body: Data
    }

    /// Why there is no answer.
    public struct Failure: Error, Hashable, Sendable, CustomStringConvertible {
        /// For people.
        public let description: String
    }

    private static let byteCountMax = 1 << 20

    private let host: String
    private let port: Int
    private let token: String
    private let timeout: Duration

    /// Creates a client, which connects for each request.
    ///
    /// - Parameters:
    ///   - host: The address or the name of the listener.
    ///   - port: Its port.
    ///   - token: What it wants as a bearer token; empty for nothing.
    ///   - timeout: How long connecting, and each silence of the other side, may take; 60 s unless given.
    public init(host: String, port: Int, token: String, timeout: Duration = .seconds(60)) {
        (self.host, self.port, self.token, self.timeout) = (host, port, token, timeout)
    }

    /// Sends a body of JSON.
    ///
    /// - Throws: ``Failure``, or what NIO throws where there is no connection.
    public func post(_ path: String, body: Data) async throws -> Answer {
        let timeout = TimeAmount(timeout)
        let stream = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connectTimeout(.seconds(10))
            .connect(host: host, port: port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(IdleStateHandler(readTimeout: timeout))
                    try channel.pipeline.syncOperations.addHandler(SilenceEnds())
                    try channel.pipeline.syncOperations.addHTTPClientHandlers()
                    return try NIOAsyncChannel<HTTPClientResponsePart, HTTPClientRequestPart>(
                        wrappingChannelSynchronously: channel
                    )
                }
            }
        return try await stream.executeThenClose { inbound, outbound in
            try await outbound.write(.head(head(path, body)))
            try await outbound.write(.body(.byteBuffer(ByteBuffer(bytes: body))))
            try await outbound.write(.end(nil))
            var answer: Answer?
            for try await part in inbound {
                switch part {
                case .head(let head): answer = Answer(status: Int(head.status.code), body: Data())
                case .body(let bytes):
                    answer?.body.append(contentsOf: bytes.readableBytesView)
                    guard answer.map({ $0.body.count <= Self.byteCountMax }) ?? false else {
                        throw Failure(description: "it does not stop")
                    }
                case .end:
                    if let answer { return answer }
                }
            }
            throw Failure(description: "it has closed the connection")
        }
    }

    private func head(_ path: String, _ body: Data) -> HTTPRequestHead {
        var fields: HTTPHeaders = [
            "Host": "\(host.contains(":") ? "[\(host)]" : host):\(port)",
            "Content-Type": "application/json", "Content-Length": "\(body.count)", "Connection": "close",
        ]
        if !token.isEmpty { fields.add(name: "Authorization", value: "Bearer \(token)") }
        return HTTPRequestHead(version: .http1_1, method: .POST, uri: path, headers: fields)
    }
}

/// Ends a connection whose other side says nothing.
private final class SilenceEnds: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event is IdleStateHandler.IdleStateEvent {
            context.fireErrorCaught(AdminClient.Failure(description: "it says nothing"))
            context.close(promise: nil)
        }
        context.fireUserInboundEventTriggered(event)
    }
}
