import CalotypeSupport

/// Reads and writes of open descriptors; they block also where another program has made the descriptor
/// non-blocking.
enum OpenDescriptor {
    /// Writes all of the bytes.
    ///
    /// - Returns: The number of the error; `nil` where all are written.
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
    /// - Returns: The number of bytes, or the number of the error.
    static func read(_ descriptor: Int32, into bytes: UnsafeMutableRawBufferPointer) -> (Int, error: Int32?) {
        while true {
            let count = Glibc.read(descriptor, bytes.baseAddress, bytes.count)
            guard count < 0 else { return (count, nil) }
            if let number = error(on: descriptor, for: POLLIN) { return (0, number) }
        }
    }

    /// The number of an error that stays; `nil` where the call is to be repeated.
    private static func error(on descriptor: Int32, for events: Int32) -> Int32? {
        let number = errno
        guard number == EAGAIN else { return number == EINTR ? nil : number }
        var entry = pollfd(fd: descriptor, events: Int16(events), revents: 0)
        // Errors of the descriptor are those of the next call.
        poll(&entry, 1, -1)
        return nil
    }
}
