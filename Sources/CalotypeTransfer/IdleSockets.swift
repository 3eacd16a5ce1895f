#if HTTP
import CLibCurl
import CalotypeSupport

/// The sockets of kept connections that no transfer uses.
///
/// libcurl looks at a kept connection only when it is to be used again. Watched here, one is closed as soon
/// as the other side closes it or sends what nobody has asked for, and when it has been kept for long enough.
struct IdleSockets {
    private struct Rest {
        let since: ContinuousClock.Instant
        let ownPort: Int32
        let isWatched: Bool
    }

    private var rests: [Int32: Rest] = [:]

    /// Takes the socket of a connection, which has a port of this side's.
    ///
    /// - Parameters:
    ///   - socket: The socket.
    ///   - ownPort: This side's port of it.
    ///   - isWatched: Whether it is closed where anything comes on it, and not only when its time is over.
    ///   - now: The time.
    mutating func insert(_ socket: Int32, ownPort: Int32, isWatched: Bool, at now: ContinuousClock.Instant) {
        rests[socket] = Rest(since: now, ownPort: ownPort, isWatched: isWatched)
    }

    /// Leaves alone what is used again: libcurl tells only the port.
    mutating func remove(ownPort: Int32) {
        guard rests.contains(where: { $0.value.ownPort == ownPort }) else { return }
        rests = rests.filter { $0.value.ownPort != ownPort }
    }

    mutating func remove(_ socket: Int32) {
        rests[socket] = nil
    }

    /// What `curl_multi_poll` is to look at as well.
    var watched: [curl_waitfd] {
        rests.lazy.filter(\.value.isWatched).map {
            curl_waitfd(fd: $0.key, events: Int16(CURL_WAIT_POLLIN), revents: 0)
        }
    }

    /// Closes those on which something has happened.
    mutating func close(where watched: [curl_waitfd]) {
        for socket in watched where socket.revents != 0 { close(socket.fd) }
    }

    /// Closes those that have been kept for too long.
    mutating func close(keptSince limit: ContinuousClock.Instant) {
        for (socket, rest) in rests where rest.since <= limit { close(socket) }
    }

    /// When the first of them began to rest.
    var oldest: ContinuousClock.Instant? { rests.values.lazy.map(\.since).min() }

    /// The descriptor stays libcurl's, which finds the connection dead.
    mutating func close(_ socket: Int32) {
        shutdown(socket, Int32(SHUT_RDWR))
        rests[socket] = nil
    }
}
#endif
