/// A listening socket that this process inherited.
package struct ListeningSocket: Hashable, Sendable {
    package let descriptor: Int32
    /// The numeric address; `nil` for a socket in the file system.
    package let host: String?
    /// The port; 0 for a socket in the file system.
    package let port: Int

    /// Takes over a descriptor and closes it in programs that this one starts.
    ///
    /// - Returns: `nil` unless the descriptor is a listening stream socket.
    package init?(inherited descriptor: Int32) {
        guard Self.option(SO_ACCEPTCONN, of: descriptor) == 1,
            Self.option(SO_TYPE, of: descriptor) == Self.stream,
            fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0,
            fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK) == 0
        else { return nil }
        self.descriptor = descriptor
        var address = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let family = unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bound -> Int32? in
                guard unsafe getsockname(descriptor, bound, &length) == 0 else { return nil }
                return unsafe Int32(bound.pointee.sa_family)
            }
        }
        switch family {
        case AF_UNIX: (host, port) = (nil, 0)
        case AF_INET, AF_INET6:
            guard let (host, port) = Self.numbers(of: &address, length) else { return nil }
            (self.host, self.port) = (host, port)
        default: return nil
        }
    }

    #if canImport(Darwin)
    private static let stream = SOCK_STREAM
    #else
    private static let stream = Int32(SOCK_STREAM.rawValue)
    #endif

    private static func option(_ name: Int32, of descriptor: Int32) -> Int32? {
        var value = Int32(0)
        var length = socklen_t(MemoryLayout<Int32>.size)
        guard unsafe getsockopt(descriptor, SOL_SOCKET, name, &value, &length) == 0 else { return nil }
        return value
    }

    private static func numbers(of address: inout sockaddr_storage, _ length: socklen_t) -> (String, Int)? {
        var host = [CChar](repeating: 0, count: 128)
        var port = [CChar](repeating: 0, count: 16)
        let result = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bound in
                unsafe getnameinfo(
                    bound,
                    length,
                    &host,
                    socklen_t(host.count),
                    &port,
                    socklen_t(port.count),
                    NI_NUMERICHOST | NI_NUMERICSERV
                )
            }
        }
        guard result == 0 else { return nil }
        return (text(host), Int(text(port)) ?? 0)
    }

    private static func text(_ characters: [CChar]) -> String {
        String(decoding: characters.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    /// Waits for the next connection; blocks.
    ///
    /// Other processes may accept from the socket too.
    ///
    /// - Parameter stop: A descriptor that becomes readable to end the wait.
    /// - Returns: The non-blocking descriptor of the connection; `nil` once `stop` is readable.
    package func nextConnection(until stop: Int32) -> Int32? {
        while true {
            guard Self.wait(for: descriptor, until: stop, milliseconds: -1) else { return nil }
            let connection = accept(descriptor, nil, nil)
            if connection >= 0 {
                _ = fcntl(connection, F_SETFD, FD_CLOEXEC)
                _ = fcntl(connection, F_SETFL, fcntl(connection, F_GETFL) | O_NONBLOCK)
                return connection
            }
            switch errno {
            // Another process accepted the connection, or the client closed it.
            case EAGAIN, EINTR, ECONNABORTED, EPROTO: continue
            // Out of descriptors or memory at the moment.
            default: guard Self.wait(for: -1, until: stop, milliseconds: 100) else { return nil }
            }
        }
    }

    /// Waits until a descriptor is readable.
    ///
    /// - Returns: False once `stop` is readable.
    package static func wait(for descriptor: Int32, until stop: Int32, milliseconds: Int32) -> Bool {
        var entries = [
            pollfd(fd: stop, events: Int16(POLLIN), revents: 0),
            pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
        ]
        _ = unsafe entries.withUnsafeMutableBufferPointer { buffer in
            unsafe poll(buffer.baseAddress, nfds_t(buffer.count), milliseconds)
        }
        return entries[0].revents == 0
    }
}
