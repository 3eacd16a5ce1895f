import CalotypeSupport
import HummingbirdCore
import Logging
import NIOCore
import NIOExtras
import NIOPosix

/// The socket of a listener, with the connections that it has accepted.
protocol ListenerSocket: Sendable {
    /// The port that is listened on; 0 for a socket in the file system.
    var port: Int { get }

    /// Hands each connection over, until the socket is closed or the task is cancelled.
    ///
    /// - Throws: Why no more are accepted.
    func forEachConnection(_ body: (ClientConnection) -> Void) async throws

    /// Accepts no more, and returns when all connections have ended.
    ///
    /// - Throws: Why the socket could not be closed.
    func close() async throws
}

/// A socket that this process has opened.
struct OwnSocket: ListenerSocket {
    typealias Connections = NIOAsyncChannel<ClientConnection, Never>

    private static let backlog: Int32 = 1_024
    /// The time for taking over what the system has accepted; the end of the drain may cut it short.
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
    private let place: ListenerPlace

    /// Opens a socket at a place.
    ///
    /// - Throws: Why the address cannot be listened on.
    static func open(
        _ place: ListenerPlace,
        _ setup: ListenerChannel,
        connectionCountMax: Int,
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
                    let limit = MaximumAvailableConnections(connectionCountMax, logger: logger)
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

    /// The port that is listened on.
    var port: Int { connections.channel.localAddress?.port ?? place.port }

    func forEachConnection(_ body: (ClientConnection) -> Void) async throws {
        defer { intake.end() }
        let (taken, sink) = AsyncStream<ClientConnection>.makeStream()
        // A task of its own, which nobody cancels: NIO drops what waits for one that is cancelled, and stops
        // a program that drops a connection.
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

    /// Closes the socket once what has been accepted is closed, where the task is cancelled.
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
        // A connection that no task answers yet would be lost with the socket.
        await intake.untilEmpty()
        let promise = connections.channel.eventLoop.makePromise(of: Void.self)
        quiescing.initiateShutdown(promise: promise)
        try await promise.futureResult.get()
    }

    /// Lets the event loop accept until no connection waits: those would be reset with the socket.
    private func takeOverWaiting() async throws {
        let end = NIODeadline.now() + Self.takeOverTime
        while connections.channel.isActive, try await waitingCount > 0, NIODeadline.now() < end {
            try await connections.channel.eventLoop.scheduleTask(in: Self.takeOverPause) {}.futureResult.get()
        }
    }

    /// The connections that the system has accepted for the socket, and this process not yet.
    private var waitingCount: Int {
        get async throws {
            #if os(Linux)
            guard let options = connections.channel as? any SocketOptionProvider else { return 0 }
            // The beginning of `tcp_info`: of a socket that listens `tcpi_unacked` is the queue.
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
