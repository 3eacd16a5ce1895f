#if HTTP
import CLibCurl
import CalotypeSupport

/// The sockets of idle connections.
///
/// libcurl inspects an idle connection only before reusing it. Connections watched here are closed as soon as
/// the server closes them or sends unexpected bytes, and after the keep-alive timeout.
struct IdleSockets {
    private struct Rest {
        let since: ContinuousClock.Instant
        let ownPort: Int32
        let isWatched: Bool
    }

    private var rests: [Int32: Rest] = [:]

    /// Adds the socket of a connection.
    ///
    /// - Parameters:
    ///   - socket: The socket.
    ///   - ownPort: Its local port.
    ///   - isWatched: Whether to close it when bytes arrive, and not only after the timeout.
    ///   - now: The current time.
    mutating func insert(_ socket: Int32, ownPort: Int32, isWatched: Bool, at now: ContinuousClock.Instant) {
        rests[socket] = Rest(since: now, ownPort: ownPort, isWatched: isWatched)
    }

    /// Removes a connection that is used again: libcurl reports only the local port.
    mutating func remove(ownPort: Int32) {
        guard rests.contains(where: { $0.value.ownPort == ownPort }) else { return }
        rests = rests.filter { $0.value.ownPort != ownPort }
    }

    mutating func remove(_ socket: Int32) {
        rests[socket] = nil
    }

    var watched: [curl_waitfd] {
        rests.lazy.filter(\.value.isWatched).map {
            curl_waitfd(fd: $0.key, events: Int16(CURL_WAIT_POLLIN), revents: 0)
        }
    }

    mutating func close(where watched: [curl_waitfd]) {
        for socket in watched where socket.revents != 0 { close(socket.fd) }
    }

    /// Closes the sockets that have been idle since the limit.
    mutating func close(keptSince limit: ContinuousClock.Instant) {
        for (socket, rest) in rests where rest.since <= limit { close(socket) }
    }

    /// The time when the first of them became idle.
    var oldest: ContinuousClock.Instant? { rests.values.lazy.map(\.since).min() }

    /// The descriptor still belongs to libcurl, which finds the connection dead.
    mutating func close(_ socket: Int32) {
        shutdown(socket, Int32(SHUT_RDWR))
        rests[socket] = nil
    }
}
#endif
