/// A histogram of durations with fixed bounds.
package struct LatencyHistogram: Hashable, Sendable {
    /// The upper bounds in seconds; one more bucket follows the last one.
    package static let limits: [Double] = [
        0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30,
    ]

    /// The number of durations in each bucket; one more than there are ``limits``.
    package private(set) var counts = [Int](repeating: 0, count: limits.count + 1)

    /// The sum of all durations, in seconds.
    package private(set) var sum = 0.0

    package var count: Int { counts.reduce(0, +) }

    package init() {}

    mutating func add(_ duration: Duration) {
        let seconds = duration.seconds
        sum += seconds
        counts[Self.limits.firstIndex { seconds <= $0 } ?? Self.limits.count] += 1
    }

    mutating func add(_ other: LatencyHistogram) {
        sum += other.sum
        for index in counts.indices { counts[index] += other.counts[index] }
    }

    /// Returns the bound, in seconds, of a quantile; `nil` without durations.
    ///
    /// - Parameter part: The fraction, 0...1; 0.99 for the slowest hundredth.
    /// - Returns: The bound; infinity beyond the last one.
    package func quantile(_ part: Double) -> Double? {
        let wanted = (Double(count) * part).rounded(.up)
        var passed = 0
        for (index, count) in counts.enumerated() where count > 0 {
            passed += count
            if Double(passed) >= wanted { return index < Self.limits.count ? Self.limits[index] : .infinity }
        }
        return nil
    }
}

extension Duration {
    var seconds: Double {
        Double(components.seconds) + Double(components.attoseconds) * 1e-18
    }
}
