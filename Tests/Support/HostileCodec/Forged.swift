import CalotypeSupport

/// Handmade worker messages in their wire format.
enum Forged {
    static func image(
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
        bytes += integer(1) + [1, 0, 0, 0, 0] + copyright + text("automatic") + integer(profile)
        // No metadata and no rows.
        bytes += integer(0) + integer(0) + integer(0) + integer(0)
        bytes += frames.map { [1] + integer($0) + integer(0) + [0, 1] } ?? [0]
        return bytes + (offset.map { [1] + integer($0) } ?? [0])
    }

    static func failure(_ label: String, _ detail: String = "") -> [UInt8] {
        [6] + text(label) + [0] + text(detail)
    }

    /// The message that the sandbox is active.
    static let locked: [UInt8] = [0] + integer(1) + [1, 1] + text("")

    static func integer(_ value: Int) -> [UInt8] {
        (0..<8).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }

    static func text(_ text: String) -> [UInt8] { integer(text.utf8.count) + Array(text.utf8) }

    static func send(_ bytes: [UInt8]) { _ = Glibc.send(3, bytes, bytes.count, 0) }

    /// Receives the next message of the program; exits with the program.
    static func receive() -> [UInt8] {
        var message = [UInt8](repeating: 0, count: 16 << 10)
        let count = recv(3, &message, message.count, 0)
        if count <= 0 { exit(0) }
        return Array(message.prefix(count))
    }
}
