import CalotypeSupport

/// Blocking reads and writes of open descriptors, even if another program made the descriptor non-blocking.
enum OpenDescriptor {
    /// Writes all of the bytes.
    ///
    /// - Returns: The error number, or `nil` if all bytes are written.
    static func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Int32? {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = Glibc.write(
                descriptor,
                UnsafeRawBufferPointer(rebasing: rest).baseAddress,
                rest.count
            )
            if count >= 0 {
                rest = rest.dropFirst(count)
            } else if let number = error(on: descriptor, for: POLLOUT) {
                return number
            }
        }
        return nil
    }

    /// Reads bytes into a buffer; none at the end.
    ///
    /// - Returns: The number of bytes, or the error number.
    static func read(_ descriptor: Int32, into bytes: UnsafeMutableRawBufferPointer) -> (Int, error: Int32?) {
        while true {
            let count = Glibc.read(descriptor, bytes.baseAddress, bytes.count)
            guard count < 0 else { return (count, nil) }
            if let number = error(on: descriptor, for: POLLIN) { return (0, number) }
        }
    }

    /// Returns the number of a permanent error, or `nil` if the call should be repeated.
    private static func error(on descriptor: Int32, for events: Int32) -> Int32? {
        let number = errno
        guard number == EAGAIN else { return number == EINTR ? nil : number }
        var entry = pollfd(fd: descriptor, events: Int16(events), revents: 0)
        // The next call reports errors of the descriptor.
        poll(&entry, 1, -1)
        return nil
    }
}
