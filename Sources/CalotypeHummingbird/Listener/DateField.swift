import CalotypeCore
import CalotypeSupport

/// The value of `Date`, made once a second.
final class DateField: Sendable {
    private static let days = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    private let timeSource: any TimeSource
    private let last = Guarded<(second: Int64, text: String)>((-1, ""))

    init(_ timeSource: any TimeSource) {
        self.timeSource = timeSource
    }

    var value: String {
        let nanoseconds = timeSource.now().nanosecondsSince1970
        let second = max(0, nanoseconds / 1_000_000_000)
        return last.withLock { last in
            if last.second != second { last = (second, Self.text(second)) }
            return last.text
        }
    }

    /// `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110 §5.6.7), from 1970 on.
    static func text(_ secondsSince1970: Int64) -> String {
        let (days, second) = secondsSince1970.quotientAndRemainder(dividingBy: 86_400)
        let date = civil(days)
        let time = [second / 3600, second / 60 % 60, second % 60].map(twoDigits).joined(separator: ":")
        let year = String(date.year)
        let padded = String(repeating: "0", count: max(0, 4 - year.count)) + year
        let day = Self.days[Int(days % 7)]
        return "\(day), \(twoDigits(date.day)) \(months[Int(date.month) - 1]) \(padded) \(time) GMT"
    }

    private static func twoDigits(_ number: Int64) -> String { (number < 10 ? "0" : "") + String(number) }

    /// The Gregorian date of a day since 1970, by years that begin with March.
    private static func civil(_ days: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let shifted = days + 719_468
        let era = shifted / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let month = (5 * dayOfYear + 2) / 153
        let day = dayOfYear - (153 * month + 2) / 5 + 1
        return (
            yearOfEra + era * 400 + (month < 10 ? 0 : 1), month < 10 ? month + 3 : month - 9, day
        )
    }
}
