import CalotypeSupport

/// An answer of a worker that cannot be, written to the socket as a codec that has taken its process over
/// would.
public enum Lie: String, CaseIterable, Sendable {
    case nonsense, empty, long, early, behind
    case largerThanMemory, smallerThanMemory, negativeSize, hugeSize, otherFormat, noMemory, changeableMemory
    case millionFrames, negativeFrames, endlessText, otherAnswer, unknownError, secondLock, negativeMemory

    /// Tells it, and waits for what comes of it.
    func tell() {
        send(message)
        while true { sleep(1) }
    }

    private var message: [UInt8] {
        switch self {
        case .nonsense: [255, 1, 2, 3]
        case .empty: []
        case .long: [UInt8](repeating: 4, count: 40_000)
        case .early: [4, 1, 0, 0]
        case .behind: [6, 0, 0]
        case .largerThanMemory: image(width: 100, height: 100, memory: memory(4_096))
        case .smallerThanMemory: image(width: 2, height: 2, memory: memory(4_096))
        case .negativeSize: image(width: -4, height: 4, memory: 1)
        case .hugeSize: image(width: .max, height: .max, memory: 1)
        case .otherFormat: image(width: 4, height: 4, format: "jpeg", memory: memory(48))
        case .noMemory: image(width: 4, height: 4, memory: 77)
        case .changeableMemory: image(width: 4, height: 4, memory: memory(48, isKept: true))
        case .millionFrames: image(width: 4, height: 4, memory: memory(48), frames: 1_000_000)
        case .negativeFrames: image(width: 4, height: 4, memory: memory(48), frames: -3)
        case .endlessText: [8] + integer(.max)
        case .otherAnswer: [5] + integer(3)
        case .unknownError: [8] + text("sunny") + [0] + text("")
        case .secondLock: [0] + integer(7) + [1, 1] + text("")
        case .negativeMemory: [1] + integer(-1)
        }
    }

    /// An image's head as the wire has it.
    private func image(
        width: Int,
        height: Int,
        format: String = "hostile",
        memory: Int,
        frames: Int? = nil
    ) -> [UInt8] {
        var bytes: [UInt8] = [4] + integer(width) + integer(height) + text("rgb8")
        bytes += integer(Int(bitPattern: UInt(1.0.bitPattern))) + [1] + text(format)
        bytes += integer(1) + [1, 0, 0] + integer(memory) + integer(0)
        guard let frames else { return bytes + [0] }
        return bytes + [1] + integer(frames) + integer(0) + [0, 1] + integer(memory)
    }

    private func integer(_ value: Int) -> [UInt8] {
        (0..<8).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }

    private func text(_ text: String) -> [UInt8] { integer(text.utf8.count) + Array(text.utf8) }

    private func send(_ bytes: [UInt8]) { _ = Glibc.send(3, bytes, bytes.count, 0) }

    /// Asks for memory, and keeps it mapped to be written where it is to be changed later.
    private func memory(_ byteCount: Int, isKept: Bool = false) -> Int {
        send([1] + integer(byteCount))
        var answer = [UInt8](repeating: 0, count: 64)
        var control = [UInt8](repeating: 0, count: 64)
        let descriptor = answer.withUnsafeMutableBytes { bytes in
            control.withUnsafeMutableBytes { room -> Int32 in
                var part = iovec(iov_base: bytes.baseAddress, iov_len: bytes.count)
                return withUnsafeMutablePointer(to: &part) { part in
                    var head = msghdr()
                    (head.msg_iov, head.msg_iovlen) = (part, 1)
                    (head.msg_control, head.msg_controllen) = (room.baseAddress, room.count)
                    recvmsg(3, &head, 0)
                    // Behind the head of the one control message.
                    return room.loadUnaligned(fromByteOffset: MemoryLayout<cmsghdr>.size, as: Int32.self)
                }
            }
        }
        if isKept { mmap(nil, byteCount, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0) }
        close(descriptor)
        return answer[1..<9].reversed().reduce(0) { $0 << 8 | Int($1) }
    }
}
