public import FoundationEssentials

/// A point in time for what is kept on disk: nanoseconds since 1970-01-01 00:00 UTC.
///
/// Reaches from the year 1677 to 2262; arithmetic stays within, so that a hostile date cannot trap.
public struct Timestamp: Hashable, Comparable, Sendable {
    /// Nanoseconds since 1970; negative before.
    public var nanosecondsSince1970: Int64

    /// Creates a point in time from nanoseconds since 1970.
    public init(nanosecondsSince1970: Int64) {
        self.nanosecondsSince1970 = nanosecondsSince1970
    }

    /// Whether `left` is earlier than `right`.
    public static func < (left: Timestamp, right: Timestamp) -> Bool {
        left.nanosecondsSince1970 < right.nanosecondsSince1970
    }

    /// The time so much later, or the last there is.
    public static func + (time: Timestamp, duration: Duration) -> Timestamp {
        let (sum, overflow) = time.nanosecondsSince1970.addingReportingOverflow(duration.clampedNanoseconds)
        guard overflow else { return Timestamp(nanosecondsSince1970: sum) }
        return Timestamp(nanosecondsSince1970: duration < .zero ? .min : .max)
    }

    /// The time so much earlier, or the first there is.
    public static func - (time: Timestamp, duration: Duration) -> Timestamp {
        time + (.zero - duration)
    }

    /// How long after `start` this is; negative where it is before.
    public func duration(since start: Timestamp) -> Duration {
        .nanoseconds(nanosecondsSince1970) - .nanoseconds(start.nanosecondsSince1970)
    }
}

extension Duration {
    /// Nanoseconds, held within what 64 bits can say.
    fileprivate var clampedNanoseconds: Int64 {
        let (seconds, attoseconds) = components
        let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, sumOverflow) = product.addingReportingOverflow(attoseconds / 1_000_000_000)
        guard overflow || sumOverflow else { return sum }
        return seconds < 0 ? .min : .max
    }
}

extension Timestamp {
    /// The point in time that is nearest to a date.
    public init(_ date: Date) {
        let nanoseconds = (date.timeIntervalSince1970 * 1e9).rounded()
        self.init(nanosecondsSince1970: Int64(exactly: nanoseconds) ?? (nanoseconds < 0 ? .min : .max))
    }

    /// The date, to some 100 ns.
    public var date: Date { Date(timeIntervalSince1970: Double(nanosecondsSince1970) / 1e9) }
}

extension Timestamp: CustomStringConvertible {
    /// The time as ISO 8601 in UTC, with milliseconds: `2026-02-03T04:05:06.789Z`.
    public var description: String {
        let date = Date(timeIntervalSince1970: Double(nanosecondsSince1970 / 1_000_000) / 1000)
        return date.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
    }
}
