import CalotypeCore
import Foundation

extension Timestamp {
    /// The time as ISO 8601 in UTC, with milliseconds: `2026-02-03T04:05:06.789Z`.
    var iso8601: String {
        let seconds = Double(nanosecondsSince1970 / 1_000_000) / 1000
        let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
        return Date(timeIntervalSince1970: seconds).formatted(style)
    }
}
