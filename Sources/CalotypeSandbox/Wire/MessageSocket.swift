import CSandbox
import CalotypeSupport

/// One end of the socket between a program and a worker; used by one thread at a time.
struct MessageSocket: Sendable {
    /// The maximum size of a message in bytes; longer ones are rejected.
    private static let maxByteCount = 16 << 10

    let socket: Descriptor

    struct Message {
        let bytes: [UInt8]
        /// The descriptor that came with the message.
        let memory: Descriptor?
    }

    enum Failure: Error {
        /// The other end is closed.
        case closed
        /// The other end was closed before it had read everything.
        case unread
        /// A system call failed with this error number.
        case system(Int32)
        case violation(String)
    }

    func send(_ message: [UInt8], with memory: Descriptor? = nil) throws(Failure) {
        let result = unsafe message.withUnsafeBytes { bytes in
            unsafe calotype_sandbox_send(socket.number, bytes.baseAddress, bytes.count, memory?.number ?? -1)
        }
        guard result < 0 else { return }
        throw result == -EPIPE || result == -ECONNRESET ? .closed : .system(-result)
    }

    func send(_ order: Order, with memory: Descriptor? = nil) throws(Failure) {
        let message: [UInt8]
        // JSON can hold every order.
        do { message = try order.message() } catch { throw .system(EINVAL) }
        try send(message, with: memory)
    }

    func receive() throws(Failure) -> Message {
        var number: Int32 = -1
        var count: Int64 = 0
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: Self.maxByteCount) { buffer, filled in
            count = unsafe calotype_sandbox_receive(socket.number, buffer.baseAddress, buffer.count, &number)
            filled = max(0, Int(count))
        }
        let memory = Descriptor(number)
        if count == 0 { throw .closed }
        if count == Int64(-ECONNRESET) { throw .unread }
        if count == Int64(-EMSGSIZE) { throw .violation("a message is too long") }
        guard count > 0 else { throw .system(Int32(-count)) }
        return Message(bytes: bytes, memory: memory)
    }

    /// True if the other end was closed with unread messages, and ``receive()`` has not reported that.
    var endedUnread: Bool { calotype_sandbox_ended_unread(socket.number) != 0 }

    /// True if a message arrives within this many milliseconds.
    func hasMessage(within milliseconds: Int32) -> Bool {
        calotype_sandbox_wait(socket.number, milliseconds) != 0
    }
}
