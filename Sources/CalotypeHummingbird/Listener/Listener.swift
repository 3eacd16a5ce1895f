public import CalotypeCore
import CalotypeSupport
import HummingbirdCore
public import Logging
import NIOCore
import NIOPosix

/// Takes requests of HTTP/1.1 from an address, and answers them by a closure.
///
/// A client that leaves, or is too slow, cancels the task of its answer. Requests are read whole before they
/// are answered, within ``ListenerLimits``.
public final class Listener: Sendable {
    /// Answers a request; its task is cancelled when the client has left.
    public typealias Responder = @Sendable (ListenerRequest) async throws -> ListenerAnswer

    /// Is told of a request that the listener has refused itself, with its status, and its name where the
    /// head could be read.
    public typealias RefusalHandler = @Sendable (Int, String?) -> Void

    private let host: String
    private let port: Int
    private let limits: ListenerLimits
    private let logger: Logger
    private let channel: ListenerChannel
    private let server = Guarded<Server<ListenerChannel>?>(nil)

    /// Creates a listener, which takes nothing before ``run(whenReady:)``.
    ///
    /// - Parameters:
    ///   - host: An address of this machine, or a name for one.
    ///   - port: The port; one that is free where it is 0.
    ///   - limits: What it takes from its clients.
    ///   - answersOnEventLoop: Whether the responder works on the event loop of the connection, which spares
    ///     short answers two changes of thread; all connections of that loop wait for it. False unless given.
    ///   - logger: What it tells of itself; not of requests.
    ///   - timeSource: Where `Date` comes from.
    ///   - fallHandler: Called when half of many connections have ended; does nothing unless given.
    ///   - refusalHandler: Is told of what is refused before it reaches the responder; nobody unless given.
    ///   - responder: Answers a request.
    public init(
        host: String,
        port: Int,
        limits: ListenerLimits = ListenerLimits(),
        answersOnEventLoop: Bool = false,
        logger: Logger,
        timeSource: any TimeSource = SystemTimeSource(),
        fallHandler: @escaping @Sendable () -> Void = {},
        refusalHandler: @escaping RefusalHandler = { _, _ in },
        responder: @escaping Responder
    ) {
        (self.host, self.port, self.limits, self.logger) = (host, port, limits, logger)
        channel = ListenerChannel(
            limits: limits,
            answersOnEventLoop: answersOnEventLoop,
            date: DateField(timeSource),
            connections: ConnectionTable(countMax: limits.connectionCountMax, fallHandler),
            refusalHandler: refusalHandler,
            answer: responder
        )
    }

    /// How many connections there are at the moment.
    public var connectionCount: Int { channel.connections.count }

    /// Listens until ``stop()``, or until the task is cancelled, which breaks all connections off.
    ///
    /// - Parameter whenReady: Called with the port once it listens.
    /// - Throws: Why the address cannot be listened on.
    public func run(whenReady: @escaping @Sendable (Int) async -> Void) async throws {
        let server = Server(
            childChannelSetup: channel,
            configuration: ServerConfiguration(
                address: .hostname(host, port: port),
                serverName: nil,
                backlog: 1024,
                availableConnectionsDelegate: .maximum(limits.connectionCountMax, logger: logger)
            ),
            onServerRunning: { [port] channel in
                await whenReady(channel.localAddress?.port ?? port)
            },
            eventLoopGroup: MultiThreadedEventLoopGroup.singleton,
            logger: logger
        )
        self.server.withLock { $0 = server }
        try await server.run()
    }

    /// Takes no more connections, and returns when those that there are have had their answers.
    public func stop() async {
        guard let server = server.withLock(\.self) else { return }
        do {
            try await server.shutdownGracefully()
        } catch {
            logger.error("The listener could not be stopped: \(error)")
        }
    }
}
