package import FoundationEssentials
import NIOCore
import NIOHTTP1
import NIOPosix

/// A client of the admin listener of a running service.
package struct AdminClient: Sendable {
    package struct Response: Hashable, Sendable {
        package var status: Int
        package var body: Data
    }

    /// The reason why there is no response.
    package struct Failure: Error, Hashable, Sendable, CustomStringConvertible {
        /// The reason, as text for people.
        package let description: String
    }

    private static let maxByteCount = 1 << 20

    private enum Place: Sendable {
        case address(host: String, port: Int)
        case socket(path: String)
    }

    private static let connectTimeout: TimeAmount = .seconds(10)

    private let place: Place
    private let token: String
    private let timeout: Duration

    /// Creates a client, which connects for each request.
    ///
    /// - Parameters:
    ///   - host: The address or the name of the listener.
    ///   - port: Its port.
    ///   - token: The bearer token; empty for none.
    ///   - timeout: The limit on connecting, and on each pause of the other side; 60 s unless given.
    package init(host: String, port: Int, token: String = "", timeout: Duration = .seconds(60)) {
        (place, self.token, self.timeout) = (.address(host: host, port: port), token, timeout)
    }

    /// Creates a client of a Unix domain socket.
    ///
    /// - Parameters:
    ///   - path: The path of the socket.
    ///   - timeout: The limit on connecting, and on each pause of the other side; 60 s unless given.
    package init(socketPath path: String, timeout: Duration = .seconds(60)) {
        (place, token, self.timeout) = (.socket(path: path), "", timeout)
    }

    /// Sends a `POST` with a JSON body.
    ///
    /// - Throws: ``Failure``.
    package func post(_ path: String, body: Data) async throws -> Response {
        try await response(to: head(.POST, path, byteCount: body.count), body)
    }

    /// Sends a `GET`.
    ///
    /// - Throws: ``Failure``.
    package func get(_ path: String) async throws -> Response {
        try await response(to: head(.GET, path, byteCount: 0), Data())
    }

    private func response(to head: HTTPRequestHead, _ body: Data) async throws -> Response {
        do {
            let stream = try await connect()
            return try await stream.executeThenClose { inbound, outbound in
                try await outbound.write(.head(head))
                if !body.isEmpty { try await outbound.write(.body(.byteBuffer(ByteBuffer(bytes: body)))) }
                try await outbound.write(.end(nil))
                return try await Self.answer(in: inbound)
            }
        } catch let failure as Failure {
            throw failure
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            throw Failure(description: SocketErrorText.text(error))
        }
    }

    private typealias Stream = NIOAsyncChannel<HTTPClientResponsePart, HTTPClientRequestPart>

    private func connect() async throws -> Stream {
        let timeout = TimeAmount(timeout)
        let bootstrap = ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connectTimeout(min(timeout, Self.connectTimeout))
        let prepare: @Sendable (any Channel) -> EventLoopFuture<Stream> = { channel in
            channel.eventLoop.makeCompletedFuture {
                try channel.pipeline.syncOperations.addHandler(IdleStateHandler(readTimeout: timeout))
                try channel.pipeline.syncOperations.addHandler(SilenceEnds())
                try channel.pipeline.syncOperations.addHTTPClientHandlers()
                return try Stream(wrappingChannelSynchronously: channel)
            }
        }
        switch place {
        case .address(let host, let port):
            return try await bootstrap.connect(host: host, port: port, channelInitializer: prepare)
        case .socket(let path):
            return try await bootstrap.connect(unixDomainSocketPath: path, channelInitializer: prepare)
        }
    }

    private static func answer(in parts: NIOAsyncChannelInboundStream<HTTPClientResponsePart>) async throws
        -> Response
    {
        var answer: Response?
        for try await part in parts {
            switch part {
            case .head(let head): answer = Response(status: Int(head.status.code), body: Data())
            case .body(let bytes):
                answer?.body.append(contentsOf: bytes.readableBytesView)
                guard answer.map({ $0.body.count <= maxByteCount }) ?? false else {
                    throw Failure(description: "the response is longer than 1 MiB")
                }
            case .end:
                if let answer { return answer }
            }
        }
        throw Failure(description: "the server closed the connection")
    }

    private func head(_ method: HTTPMethod, _ path: String, byteCount: Int) -> HTTPRequestHead {
        let authority =
            switch place {
            case .address(let host, let port): "\(host.contains(":") ? "[\(host)]" : host):\(port)"
            case .socket: "localhost"
            }
        var fields: HTTPHeaders = ["Host": authority, "Connection": "close"]
        if method == .POST {
            fields.add(name: "Content-Type", value: "application/json")
            fields.add(name: "Content-Length", value: "\(byteCount)")
        }
        if !token.isEmpty { fields.add(name: "Authorization", value: "Bearer \(token)") }
        return HTTPRequestHead(version: .http1_1, method: method, uri: path, headers: fields)
    }
}

/// Closes a connection whose other side sends nothing.
private final class SilenceEnds: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event is IdleStateHandler.IdleStateEvent {
            context.fireErrorCaught(AdminClient.Failure(description: "no response within the timeout"))
            context.close(promise: nil)
        }
        context.fireUserInboundEventTriggered(event)
    }
}
