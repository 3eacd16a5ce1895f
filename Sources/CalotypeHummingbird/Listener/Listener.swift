public import CalotypeCore
import CalotypeSupport
public import Logging

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

    /// How long a connection without a request may send one once the listener stops.
    private static let idleGrace: Duration = .seconds(1)

    private enum State {
        case idle
        case listening(any ListenerSocket)
        case stopped
    }

    private let place: ListenerPlace
    private let limits: ListenerLimits
    private let logger: Logger
    private let channel: ListenerChannel
    private let state = Guarded(State.idle)

    /// Creates a listener, which takes nothing before ``run(whenReady:)``.
    ///
    /// - Parameters:
    ///   - place: The address that it listens on.
    ///   - limits: What it takes from its clients.
    ///   - answersOnEventLoop: Whether the responder works on the event loop of the connection, which spares
    ///     short answers two changes of thread; all connections of that loop wait for it. False unless given.
    ///   - logger: What it tells of itself; not of requests.
    ///   - timeSource: Where `Date` comes from.
    ///   - fallHandler: Called when half of many connections have ended; does nothing unless given.
    ///   - refusalHandler: Is told of what is refused before it reaches the responder; nobody unless given.
    ///   - responder: Answers a request.
    public init(
        _ place: ListenerPlace,
        limits: ListenerLimits = ListenerLimits(),
        answersOnEventLoop: Bool = false,
        logger: Logger,
        timeSource: any TimeSource = SystemTimeSource(),
        fallHandler: @escaping @Sendable () -> Void = {},
        refusalHandler: @escaping RefusalHandler = { _, _ in },
        responder: @escaping Responder
    ) {
        (self.place, self.limits, self.logger) = (place, limits, logger)
        channel = ListenerChannel(
            limits: limits,
            answersOnEventLoop: answersOnEventLoop,
            date: DateField(timeSource),
            connections: ConnectionTable(countMax: limits.connectionCountMax, fallHandler),
            ending: ListenerEnding(idleGrace: Self.idleGrace),
            refusalHandler: refusalHandler,
            answer: responder
        )
    }

    /// How many connections there are at the moment.
    public var connectionCount: Int { channel.connections.count }

    /// Listens until ``stop()``, or until the task is cancelled, which breaks all connections off.
    ///
    /// - Parameter whenReady: Called with the port once it listens.
    /// - Throws: ``ListenerFailure`` if the address cannot be had.
    public func run(whenReady: @escaping @Sendable (Int) async -> Void) async throws {
        let socket = try await open()
        let isWanted = state.withLock { state in
            guard case .idle = state else { return false }
            state = .listening(socket)
            return true
        }
        if isWanted { await whenReady(socket.port) } else { Task { try await socket.close() } }
        let (channel, logger) = (channel, logger)
        await withDiscardingTaskGroup { group in
            do {
                try await socket.forEachConnection { connection in
                    group.addTask { await channel.handle(value: connection, logger: logger) }
                }
            } catch {
                logger.error("Connections are no longer accepted: \(error)")
            }
        }
    }

    private func open() async throws -> any ListenerSocket {
        do {
            if let descriptor = place.descriptor {
                return try SharedSocket(descriptor, channel, logger: logger)
            }
            return try await OwnSocket.open(
                place,
                channel,
                connectionCountMax: limits.connectionCountMax,
                logger: logger
            )
        } catch {
            throw ListenerFailure(error)
        }
    }

    /// Takes no more connections, and returns when those that there are have had their answers.
    ///
    /// Connections that the system has accepted are answered too. A connection that waits for a request may
    /// still send one within a second; its answer is the last one.
    public func stop() async {
        channel.ending.begin()
        let socket = state.withLock { state -> (any ListenerSocket)? in
            defer { state = .stopped }
            guard case .listening(let socket) = state else { return nil }
            return socket
        }
        guard let socket else { return }
        do {
            try await socket.close()
        } catch {
            logger.error("The listener could not be stopped: \(error)")
        }
    }
}

/// The end of a listener, as its connections see it.
final class ListenerEnding: Sendable {
    /// How long a connection without a request may send one.
    let idleGrace: Duration
    private let hasBegun = Guarded(false)

    init(idleGrace: Duration) {
        self.idleGrace = idleGrace
    }

    /// Whether each answer is the last one of its connection.
    var isUnderWay: Bool { hasBegun.withLock(\.self) }

    func begin() { hasBegun.withLock { $0 = true } }
}
