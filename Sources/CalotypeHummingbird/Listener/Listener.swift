package import CalotypeCore
import CalotypeSupport
package import HTTPTypes
package import Logging

/// An HTTP/1.1 server on one address that answers requests with a closure.
///
/// The task of a response is cancelled if the client disconnects or is too slow. Requests are read completely
/// before they are answered, within ``ListenerLimits``.
package final class Listener: Sendable {
    /// Returns the response to a request; its task is cancelled if the client disconnects.
    package typealias Responder = @Sendable (ListenerRequest) async throws -> ListenerResponse

    /// Called for a request that the listener refused itself, with the status, and the request ID if the
    /// header was readable.
    package typealias RefusalHandler = @Sendable (Int, String?) -> Void

    /// Returns additional fields of a response of the listener itself; the request is `nil` if its header was
    /// not readable.
    package typealias RefusalFields = @Sendable (HTTPRequest?) -> HTTPFields

    /// Decides about the body of a request before it is read.
    package typealias BodyRule = @Sendable (ListenerRequest) -> BodyIntake

    /// The time for an idle connection to send one more request once the listener stops.
    private static let idleGrace: Duration = .seconds(1)

    private enum State {
        case idle
        case listening(any ListenerSocket)
        case stopped
    }

    private let place: ListenerAddress
    private let limits: ListenerLimits
    private let logger: Logger
    private let channel: ListenerChannel
    private let state = Guarded(State.idle)

    /// Creates a listener, which accepts nothing before ``run(whenReady:)``.
    ///
    /// - Parameters:
    ///   - place: The address to listen on.
    ///   - limits: The limits on clients.
    ///   - answersOnEventLoop: Whether the responder runs on the event loop of the connection, which spares
    ///     short responses two thread switches, but blocks all connections of the loop. False unless given.
    ///   - logger: Receives events of the listener, not of requests.
    ///   - timeSource: The source of `Date`.
    ///   - fallHandler: Called when half of many connections have closed; does nothing unless given.
    ///   - refusalHandler: Called for requests refused before they reach the responder; does nothing unless
    ///     given.
    ///   - refusalFields: Returns additional fields of such responses; none unless given.
    ///   - intake: Decides about bodies; each is read within the limits unless given.
    ///   - responder: Answers a request.
    package init(
        _ place: ListenerAddress,
        limits: ListenerLimits = ListenerLimits(),
        answersOnEventLoop: Bool = false,
        logger: Logger,
        timeSource: any TimeSource = SystemTimeSource(),
        fallHandler: @escaping @Sendable () -> Void = {},
        refusalHandler: @escaping RefusalHandler = { _, _ in },
        refusalFields: @escaping RefusalFields = { _ in [:] },
        intake: @escaping BodyRule = { _ in .standard },
        responder: @escaping Responder
    ) {
        (self.place, self.limits, self.logger) = (place, limits, logger)
        channel = ListenerChannel(
            limits: limits,
            answersOnEventLoop: answersOnEventLoop,
            date: DateField(timeSource),
            connections: ConnectionTable(maxCount: limits.maxConnectionCount, fallHandler),
            ending: ListenerShutdown(idleGrace: Self.idleGrace),
            refusalHandler: refusalHandler,
            refusalFields: refusalFields,
            intake: intake,
            answer: responder
        )
    }

    package var connectionCount: Int { channel.connections.count }

    /// Listens until ``stop()``, or until the task is cancelled, which closes all connections.
    ///
    /// - Parameter whenReady: Called with the port once the listener is ready.
    /// - Throws: ``ListenerFailure`` if the address cannot be listened on.
    package func run(whenReady: @escaping @Sendable (Int) async -> Void) async throws {
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
                maxConnectionCount: limits.maxConnectionCount,
                logger: logger
            )
        } catch {
            throw ListenerFailure(error)
        }
    }

    /// Stops accepting connections, and returns when the existing ones have their responses.
    ///
    /// Connections that the system has accepted are answered too. An idle connection may still send a request
    /// within a second; its response is the last one.
    package func stop() async {
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

/// The shutdown state of a listener, as its connections see it.
final class ListenerShutdown: Sendable {
    /// The time for an idle connection to send one more request.
    let idleGrace: Duration
    private let hasBegun = Guarded(false)

    init(idleGrace: Duration) {
        self.idleGrace = idleGrace
    }

    /// Whether each response is the last one of its connection.
    var isUnderWay: Bool { hasBegun.withLock(\.self) }

    func begin() { hasBegun.withLock { $0 = true } }
}
