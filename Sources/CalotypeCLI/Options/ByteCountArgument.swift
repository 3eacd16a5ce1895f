import ArgumentParser

/// A number of bytes with an optional unit: `20000`, `20kB`, `1.5 MB`, `64KiB`, `2G`.
struct ByteCountArgument: ExpressibleByArgument, Hashable, Sendable {
    private static let factors: [String: Double] = [
        "": 1, "b": 1, "k": 1e3, "kb": 1e3, "m": 1e6, "mb": 1e6, "g": 1e9, "gb": 1e9, "t": 1e12, "tb": 1e12,
        "ki": 1024, "kib": 1024, "mi": 1_048_576, "mib": 1_048_576, "gi": 1_073_741_824,
        "gib": 1_073_741_824,
    ]

    let count: Int

    init?(argument: String) {
        let number = argument.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
        let unit = argument.dropFirst(number.count).drop { $0 == " " }.lowercased()
        guard let value = Double(number), let factor = Self.factors[unit] else { return nil }
        guard let count = Int(exactly: (value * factor).rounded()) else { return nil }
        self.count = count
    }
}

/// A time span with a unit: `90s`, `15m`, `12h`, `30d`; days without a unit.
struct AgeArgument: ExpressibleByArgument, Hashable, Sendable {
    private static let factors: [String: Double] = ["s": 1, "m": 60, "h": 3600, "d": 86_400, "": 86_400]

    let duration: Duration

    init?(argument: String) {
        let number = argument.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
        let unit = argument.dropFirst(number.count).lowercased()
        // About 30,000 years; the nanoseconds stored in a cache directory are limited to less.
        guard let value = Double(number), let factor = Self.factors[unit], value * factor < 1e12 else {
            return nil
        }
        duration = .milliseconds(Int(value * factor * 1000))
    }
}
