import CalotypeSupport

/// An impossible reply to a pixel job, by a worker under hostile control.
public enum PixelLie: String, CaseIterable, Sendable {
    case hugeSize, partBeside, partOfNothing, otherAnswer, unknownError
    case needlessFrame, endlessFrames, frameUnread

    /// Reports an active sandbox, reads the input of each job, and sends the false reply.
    public func run() -> Never {
        _ = Forged.receive()
        Forged.send(Forged.locked)
        while true {
            read(ReceivedOrder.next().job?.inputByteCounts.reduce(0, +) ?? 0)
            Forged.send(message)
            while self == .endlessFrames || self == .frameUnread {
                // A frame, if one is left.
                let isFrame = ReceivedOrder.next().frame != nil
                if isFrame, self == .endlessFrames { read(Self.frameByteCount) }
                Forged.send(message)
            }
        }
    }

    /// The byte count of a frame of the encoded animation.
    public static let frameByteCount = 64

    private var message: [UInt8] {
        switch self {
        case .hugeSize: Forged.image(width: 1 << 20, height: 1 << 20)
        case .partBeside: part(x: 1 << 20, width: 2)
        case .partOfNothing: part(x: 0, width: 0)
        case .otherAnswer: [3] + Forged.integer(3)
        case .unknownError: Forged.failure("sunny")
        case .needlessFrame, .endlessFrames, .frameUnread: [8] + Forged.integer(1)
        }
    }

    private func part(x: Int, width: Int) -> [UInt8] {
        [7] + [x, 0, width, 1].flatMap(Forged.integer)
    }

    private func read(_ count: Int) {
        var left = count
        var room = [UInt8](repeating: 0, count: 64 << 10)
        while left > 0 {
            let count = Glibc.read(4, &room, min(left, room.count))
            if count <= 0 { exit(0) }
            left -= count
        }
    }
}
