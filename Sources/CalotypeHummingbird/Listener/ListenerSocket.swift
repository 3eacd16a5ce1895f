import CalotypeSupport
import HummingbirdCore
import Logging
import NIOCore
import NIOExtras
import NIOPosix

protocol ListenerSocket: Sendable {
    /// The port; 0 for a Unix domain socket.
    var port: Int { get }

    /// Passes each connection to a closure, until the socket is closed or the task is cancelled.
    ///
    /// - Throws: The error that ends accepting.
    func forEachConnection(_ body: (ClientConnection) -> Void) async throws

    /// Stops accepting, and returns when all connections have ended.
    ///
    /// - Throws: The error of closing the socket.
    func close() async throws
}

/// A socket opened by this process.
struct OwnSocket: ListenerSocket {
    typealias Connections = NIOAsyncChannel<ClientConnection, Never>

    private static let backlog: Int32 = 1_024
    /// The time for accepting connections from the system's queue; the end of the drain may cut it short.
    private static let takeOverTime: TimeAmount = .seconds(2)
    private static let takeOverPause: TimeAmount = .milliseconds(1)

    #if os(Linux)
    /// `SO_REUSEPORT` and `TCP_INFO` of Linux.
    private static let portSharing = NIOBSDSocket.Option(rawValue: 15)
    private static let information = NIOBSDSocket.Option(rawValue: 11)
    #else
    private static let portSharing = NIOBSDSocket.Option(rawValue: 0x0200)
    #endif

    private let connections: Connections
    private let quiescing: ServerQuiescingHelper
    private let intake: Intake<ObjectIdentifier>
    private let place: ListenerAddress

    /// Opens a socket.
    ///
    /// - Throws: The error of listening on the address.
    static func open(
        _ place: ListenerAddress,
        _ setup: ListenerChannel,
        maxConnectionCount: Int,
        logger: Logger
    ) async throws -> OwnSocket {
        let quiescing = ServerQuiescingHelper(group: MultiThreadedEventLoopGroup.singleton)
        let intake = Intake<ObjectIdentifier>()
        var bootstrap = ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.backlog, value: backlog)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            .serverChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let limit = MaximumAvailableConnections(maxConnectionCount, logger: logger)
                    let handlers = channel.pipeline.syncOperations
                    try handlers.addHandler(IntakeHandler(intake))
                    try handlers.addHandler(AvailableConnectionsChannelHandler(delegate: limit))
                    try handlers.addHandler(quiescing.makeServerChannelHandler(channel: channel))
                }
            }
        if place.sharesPort {
            bootstrap = bootstrap.serverChannelOption(.socketOption(portSharing), value: 1)
        }
        let connections = try await bootstrap.bind(
            host: place.host,
            port: place.port,
            serverBackPressureStrategy: nil
        ) { channel in
            setup.setup(channel: channel, logger: logger)
        }
        return OwnSocket(connections: connections, quiescing: quiescing, intake: intake, place: place)
    }

    var port: Int { connections.channel.localAddress?.port ?? place.port }

    func forEachConnection(_ body: (ClientConnection) -> Void) async throws {
        defer { intake.end() }
        let (taken, sink) = AsyncStream<ClientConnection>.makeStream()
        // A separate, uncancelled task: on cancellation NIO drops waiting connections, and traps on a dropped
        // connection.
        let taking = Task {
            defer { sink.finish() }
            try await connections.executeThenClose { inbound in
                for try await connection in inbound {
                    if case .enqueued = sink.yield(connection) { continue }
                    await connection.end()
                }
            }
        }
        for await connection in taken {
            intake.leave(ObjectIdentifier(connection.channel))
            body(connection)
        }
        if connections.channel.isActive { try await abandon() }
        try await taking.value
    }

    /// Closes the socket once the accepted connections are closed, after a cancellation.
    private func abandon() async throws {
        intake.stop()
        try await connections.channel.setOption(.autoRead, value: false).get()
        await intake.untilEmpty()
        connections.channel.close(promise: nil)
    }

    func close() async throws {
        guard connections.channel.isActive else { return }
        try await takeOverWaiting()
        guard connections.channel.isActive else { return }
        intake.stop()
        try await connections.channel.setOption(.autoRead, value: false).get()
        // A connection that no task handles yet would be lost with the socket.
        await intake.untilEmpty()
        let promise = connections.channel.eventLoop.makePromise(of: Void.self)
        quiescing.initiateShutdown(promise: promise)
        do {
            try await promise.futureResult.get()
        } catch _ where !connections.channel.isActive {
            // The end of the drain has closed it before.
        }
    }

    /// Lets the event loop accept until the system's queue is empty: queued connections would be reset.
    private func takeOverWaiting() async throws {
        let end = NIODeadline.now() + Self.takeOverTime
        while connections.channel.isActive, try await waitingCount > 0, NIODeadline.now() < end {
            try await connections.channel.eventLoop.scheduleTask(in: Self.takeOverPause) {}.futureResult.get()
        }
    }

    private var waitingCount: Int {
        get async throws {
            #if os(Linux)
            guard let options = connections.channel as? any SocketOptionProvider else { return 0 }
            // The beginning of `tcp_info`: for a listening socket, `tcpi_unacked` is the length of the queue.
            typealias Info = (UInt64, UInt32, UInt32, UInt32, UInt32, UInt32, UInt32)
            let info: Info = try await options.unsafeGetSocketOption(level: .tcp, name: Self.information)
                .get()
            return Int(info.5)
            #else
            return 0
            #endif
        }
    }
}
