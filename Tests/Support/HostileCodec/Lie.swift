import CalotypeSupport

/// An answer of a worker that cannot be, written to the socket as a codec that has taken its process over
/// would.
public enum Lie: String, CaseIterable, Sendable {
    case nonsense, empty, long, early, behind
    case morePixels, fewerPixels, negativeSize, hugeSize, otherFormat, bytesOfNothing, negativeProfile
    case millionFrames, negativeFrames, endlessText, otherAnswer, unknownError, secondLock, negativeBytes
    case emptyCopyright
    case keptRoom, moreRoom, outsideOfRoom, beforeRoom, amidstRoom

    /// Tells it, and waits for what comes of it.
    func tell() {
        let pixels = [UInt8](repeating: 7, count: pixelByteCount)
        _ = write(5, pixels, pixels.count)
        // Who has said that there is more ends before it has come.
        if self == .fewerPixels { close(5) }
        // Room for them is taken by pages of 2 MiB.
        if self == .keptRoom { HostileRoom.fill(4_096, keepsMapping: true) }
        if self == .moreRoom { HostileRoom.fill(3 << 20) }
        send(message)
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
        case .morePixels, .fewerPixels: image(width: 4, height: 4)
        case .negativeSize: image(width: -4, height: 4)
        case .hugeSize: image(width: .max, height: .max)
        case .otherFormat: image(width: 4, height: 4, format: "jpeg")
        case .bytesOfNothing: [6] + text("corrupt") + [0] + text("")
        case .negativeProfile: image(width: 4, height: 4, profile: -1)
        case .emptyCopyright: image(width: 4, height: 4, copyright: [1] + text("") + text(""))
        case .millionFrames: image(width: 4, height: 4, frames: 1_000_000)
        case .negativeFrames: image(width: 4, height: 4, frames: -3)
        case .endlessText: [6] + integer(.max)
        case .otherAnswer: [3] + integer(3)
        case .unknownError: [6] + text("sunny") + [0] + text("")
        case .secondLock: [0] + integer(7) + [1, 1] + text("")
        case .negativeBytes: [5] + integer(-1)
        case .keptRoom, .moreRoom: image(width: 4, height: 4, offset: 0)
        case .outsideOfRoom: image(width: 4, height: 4, offset: 1 << 40)
        case .beforeRoom: image(width: 4, height: 4, offset: -2 << 20)
        case .amidstRoom: image(width: 4, height: 4, offset: 4_096)
        }
    }

    /// An image's head as the wire has it.
    private func image(
        width: Int,
        height: Int,
        format: String = "hostile",
        copyright: [UInt8] = [0],
        profile: Int = 0,
        frames: Int? = nil,
        offset: Int? = nil
    ) -> [UInt8] {
        var bytes: [UInt8] = [2] + integer(width) + integer(height) + text("rgb8")
        bytes += integer(Int(bitPattern: UInt(1.0.bitPattern))) + [1] + text(format)
        bytes += integer(1) + [1, 0, 0, 0] + copyright + integer(profile) + integer(0)
        bytes += frames.map { [1] + integer($0) + integer(0) + [0, 1] } ?? [0]
        return bytes + (offset.map { [1] + integer($0) } ?? [0])
    }

    private func integer(_ value: Int) -> [UInt8] {
        (0..<8).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }

    private func text(_ text: String) -> [UInt8] { integer(text.utf8.count) + Array(text.utf8) }

    private func send(_ bytes: [UInt8]) { _ = Glibc.send(3, bytes, bytes.count, 0) }
}
