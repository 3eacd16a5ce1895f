import CalotypeSupport

/// An impossible reply of a worker, sent over the socket as by a codec that controls the process.
public enum Lie: String, CaseIterable, Sendable {
    case nonsense, empty, long, early, behind
    case morePixels, fewerPixels, negativeSize, hugeSize, otherFormat, bytesOfNothing, negativeProfile
    case millionFrames, negativeFrames, endlessText, otherAnswer, unknownError, secondLock, negativeBytes
    case emptyCopyright
    case keptRoom, moreRoom, outsideOfRoom, beforeRoom, amidstRoom

    /// Sends the reply, and waits for its effect.
    func tell() {
        let pixels = [UInt8](repeating: 7, count: pixelByteCount)
        _ = write(5, pixels, pixels.count)
        // A worker that announced more pixels exits before they are sent.
        if self == .fewerPixels { close(5) }
        // The memory for pixels is allocated in pages of 2 MiB.
        if self == .keptRoom { HostileRoom.fill(4_096, keepsMapping: true) }
        if self == .moreRoom { HostileRoom.fill(3 << 20) }
        Forged.send(message)
        while true { sleep(1) }
    }

    private var pixelByteCount: Int {
        switch self {
        case .morePixels: 4_096
        case .fewerPixels, .bytesOfNothing: 40
        case .otherFormat, .millionFrames, .negativeFrames, .emptyCopyright: 48
        default: 0
        }
    }

    private var message: [UInt8] {
        switch self {
        case .nonsense: [255, 1, 2, 3]
        case .empty: []
        case .long: [UInt8](repeating: 4, count: 40_000)
        case .early: [2, 1, 0, 0]
        case .behind: [4, 0, 0]
        case .morePixels, .fewerPixels: Forged.image(width: 4, height: 4)
        case .negativeSize: Forged.image(width: -4, height: 4)
        case .hugeSize: Forged.image(width: .max, height: .max)
        case .otherFormat: Forged.image(width: 4, height: 4, format: "jpeg")
        case .bytesOfNothing: Forged.failure("corrupt")
        case .negativeProfile: Forged.image(width: 4, height: 4, profile: -1)
        case .emptyCopyright:
            Forged.image(width: 4, height: 4, copyright: [1] + Forged.text("") + Forged.text(""))
        case .millionFrames: Forged.image(width: 4, height: 4, frames: 1_000_000)
        case .negativeFrames: Forged.image(width: 4, height: 4, frames: -3)
        case .endlessText: [6] + Forged.integer(.max)
        case .otherAnswer: [3] + Forged.integer(3)
        case .unknownError: Forged.failure("sunny")
        case .secondLock: [0] + Forged.integer(7) + [1, 1] + Forged.text("")
        case .negativeBytes: [5] + Forged.integer(-1)
        case .keptRoom, .moreRoom: Forged.image(width: 4, height: 4, offset: 0)
        case .outsideOfRoom: Forged.image(width: 4, height: 4, offset: 1 << 40)
        case .beforeRoom: Forged.image(width: 4, height: 4, offset: -2 << 20)
        case .amidstRoom: Forged.image(width: 4, height: 4, offset: 4_096)
        }
    }
}
