import CalotypeSupport
import Logging
import NIOCore
import NIOExtras
import NIOPosix

/// A socket inherited by this process, from which other processes may accept too.
///
/// A separate thread accepts: in debug builds, NIO's server channel traps if another process has taken a
/// connection that was signalled.
final class SharedSocket: ListenerSocket {
    private struct Stop {
        let reading: Int32
        let writing: Int32

        init() throws {
            var ends: [Int32] = [-1, -1]
            guard pipe(&ends) == 0 else { throw IOError(errnoCode: errno, reason: "pipe") }
            for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
            (reading, writing) = (ends[0], ends[1])
        }
    }

    /// The pause before another check while the connection table is full.
    private static let pauseMilliseconds: Int32 = 10
    /// The thread's element in `accepting`; connections have the following numbers.
    private static let threadNumber = 0

    let port: Int
    private let socket: ListeningSocket
    private let setup: ListenerChannel
    private let logger: Logger
    private let stop: Stop
    private let thread = BlockingPool(width: 1, name: "accept")
    private let accepting = Intake<Int>()
    /// Accepted connections that are not in the connection table yet.
    private let arriving = Guarded<Set<Int>>([])
    private let open = Intake<ObjectIdentifier>()
    private let channels = Guarded<[ObjectIdentifier: any Channel]>([:])
    private let connections: AsyncStream<ClientConnection>
    private let sink: AsyncStream<ClientConnection>.Continuation

    /// - Throws: An error if it is not a listening socket.
    init(_ descriptor: Int32, _ setup: ListenerChannel, logger: Logger) throws {
        guard let socket = ListeningSocket(inherited: descriptor) else {
            throw IOError(errnoCode: ENOTSOCK, reason: "accept")
        }
        (self.socket, self.setup, self.logger, port) = (socket, setup, logger, socket.port)
        stop = try Stop()
        (connections, sink) = AsyncStream.makeStream()
        // The thread itself is pending until it has been stopped.
        accepting.enter(Self.threadNumber)
        thread.enqueue { [self] in accept() }
    }

    deinit {
        for descriptor in [stop.reading, stop.writing, socket.descriptor] { _ = Glibc.close(descriptor) }
    }

    func forEachConnection(_ body: (ClientConnection) -> Void) async throws {
        for await connection in connections { body(connection) }
        endAccepting()
        // Without a cancellation, existing connections get their responses first.
        guard Task.isCancelled else { return }
        accepting.end()
        open.end()
    }

    func close() async throws {
        endAccepting()
        await accepting.untilEmpty()
        sink.finish()
        for channel in channels.withLock({ Array($0.values) }) {
            channel.eventLoop.execute {
                channel.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent())
            }
        }
        await open.untilEmpty()
    }

    private func endAccepting() {
        var byte: UInt8 = 0
        _ = write(stop.writing, &byte, 1)
    }

    /// Accepts until stopped.
    private func accept() {
        var last = Self.threadNumber
        while isFree(), let descriptor = socket.nextConnection(until: stop.reading) {
            last += 1
            let number = last
            accepting.enter(number)
            arriving.withLock { _ = $0.insert(number) }
            Task {
                await takeOver(descriptor, number)
                noteArrival(number)
                accepting.leave(number)
            }
        }
        accepting.leave(Self.threadNumber)
    }

    /// Waits until the connection table has room.
    ///
    /// - Returns: False once accepting has stopped.
    private func isFree() -> Bool {
        // While it moves into the table a connection counts twice, rather than not at all.
        while setup.connections.isFull(with: arriving.withLock(\.count)) {
            let goesOn = ListeningSocket.wait(
                for: -1,
                until: stop.reading,
                milliseconds: Self.pauseMilliseconds
            )
            guard goesOn else { return false }
        }
        return true
    }

    private func noteArrival(_ number: Int) { arriving.withLock { _ = $0.remove(number) } }

    private func takeOver(_ descriptor: Int32, _ number: Int) async {
        do {
            let connection = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .channelOption(.allowRemoteHalfClosure, value: true)
                .withConnectedSocket(descriptor) { [self] channel in
                    note(channel)
                    let isReady = setup.setup(channel: channel, logger: logger)
                    noteArrival(number)
                    return isReady
                }
            if case .enqueued = sink.yield(connection) { return }
            // Connections are no longer taken.
            await connection.end()
        } catch {
            // The client has disconnected.
            logger.debug("A connection was lost before it began: \(error)")
        }
    }

    private func note(_ channel: any Channel) {
        let key = ObjectIdentifier(channel)
        channels.withLock { $0[key] = channel }
        open.enter(channel)
        channel.closeFuture.whenComplete { [self] _ in channels.withLock { _ = $0.removeValue(forKey: key) } }
    }
}
