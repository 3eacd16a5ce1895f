import Glibc

/// Distinct keys for tables whose keys clients and origins choose.
public enum ManyKeys {
    /// A hundred thousand; a million with `CALOTYPE_SOAK`.
    public static let count = getenv("CALOTYPE_SOAK") == nil ? 100_000 : 1_000_000

    /// A text longer than most keys, to be followed by a number.
    public static let text = String(repeating: "n", count: 1_000)

    /// Calls a body with the number of each key, sharing the thread with other tests.
    ///
    /// - Throws: The error of the body.
    public static func fill(_ body: (Int) throws -> Void) async rethrows {
        for number in 0..<count {
            if number % 1_000 == 0 { await Task.yield() }
            try body(number)
        }
    }

    /// The approximate number of bytes that a value stores, found by reflection.
    ///
    /// Shared texts count each time. Objects behind a lock count as one word.
    public static func byteCount(of value: Any) -> Int {
        if let text = value as? String { return max(16, text.utf8.count) }
        if let text = value as? Substring { return max(32, text.base.utf8.count) }
        let children = Mirror(reflecting: value).children
        return children.isEmpty ? 8 : children.reduce(0) { $0 + byteCount(of: $1.value) }
    }
}
