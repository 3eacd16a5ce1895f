import CalotypeSupport

/// Request IDs for logs, here and in the client.
final class RequestIDs: Sendable {
    private static let maxByteCount = 64

    private let start = UInt64.random(in: .min ... .max)
    private let count = Guarded<UInt64>(0)

    /// Returns the client's ID if it has 1 to 64 letters, digits, `.`, `_` and `-`; else a new one.
    func name(_ given: String?) -> String {
        if let given, Self.isName(given) { return given }
        let number = count.withLock { count in
            count &+= 1
            return count
        }
        // The start is random and all numbers differ; they are not secret.
        let text = String(start &+ number &* 0x9E37_79B9_7F4A_7C15, radix: 16)
        return String(repeating: "0", count: 16 - text.count) + text
    }

    static func isName(_ text: String) -> Bool {
        (1...maxByteCount).contains(text.utf8.count) && text.utf8.allSatisfy(isOfName)
    }

    private static func isOfName(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"):
            true
        default: false
        }
    }
}
