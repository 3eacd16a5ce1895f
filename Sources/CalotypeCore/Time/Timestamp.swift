public import FoundationEssentials

/// A point in time for data on disk: nanoseconds since 1970-01-01 00:00 UTC.
///
/// Covers the years 1677 to 2262; arithmetic is clamped, so that a hostile date cannot trap.
public struct Timestamp: Hashable, Comparable, Sendable {
    /// Nanoseconds since 1970; negative before.
    public var nanosecondsSince1970: Int64

    /// Creates a point in time from nanoseconds since 1970.
    public init(nanosecondsSince1970: Int64) {
        self.nanosecondsSince1970 = nanosecondsSince1970
    }

    /// Returns whether `left` is earlier than `right`.
    public static func < (left: Timestamp, right: Timestamp) -> Bool {
        left.nanosecondsSince1970 < right.nanosecondsSince1970
    }

    /// Returns the time after a duration, clamped to the latest.
    public static func + (time: Timestamp, duration: Duration) -> Timestamp {
        let (sum, overflow) = time.nanosecondsSince1970.addingReportingOverflow(duration.clampedNanoseconds)
        guard overflow else { return Timestamp(nanosecondsSince1970: sum) }
        return Timestamp(nanosecondsSince1970: duration < .zero ? .min : .max)
    }

    /// Returns the time before a duration, clamped to the earliest.
    public static func - (time: Timestamp, duration: Duration) -> Timestamp {
        time + (.zero - duration)
    }

    /// Returns the duration from `start` to this time; negative if this is earlier.
    public func duration(since start: Timestamp) -> Duration {
        .nanoseconds(nanosecondsSince1970) - .nanoseconds(start.nanosecondsSince1970)
    }
}

extension Duration {
    /// The duration in nanoseconds, clamped to 64 bits.
    fileprivate var clampedNanoseconds: Int64 {
        let (seconds, attoseconds) = components
        let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, sumOverflow) = product.addingReportingOverflow(attoseconds / 1_000_000_000)
        guard overflow || sumOverflow else { return sum }
        return seconds < 0 ? .min : .max
    }
}

extension Timestamp {
    /// Creates the nearest point in time to a date.
    public init(_ date: Date) {
        let nanoseconds = (date.timeIntervalSince1970 * 1e9).rounded()
        self.init(nanosecondsSince1970: Int64(exactly: nanoseconds) ?? (nanoseconds < 0 ? .min : .max))
    }

    /// The date, accurate to about 100 ns.
    public var date: Date { Date(timeIntervalSince1970: Double(nanosecondsSince1970) / 1e9) }
}

extension Timestamp: CustomStringConvertible {
    /// The time as ISO 8601 in UTC, with milliseconds: `2026-02-03T04:05:06.789Z`.
    public var description: String {
        let date = Date(timeIntervalSince1970: Double(nanosecondsSince1970 / 1_000_000) / 1000)
        return date.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
    }
}
