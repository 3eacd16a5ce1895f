package import CalotypeCore

extension HTTPDate {
    /// Creates the date of a point in time; fractions of a second are truncated.
    package init(_ time: Timestamp) {
        let (seconds, rest) = time.nanosecondsSince1970.quotientAndRemainder(dividingBy: 1_000_000_000)
        self.init(secondsSince1970: Int64(seconds) - (rest < 0 ? 1 : 0))
    }

    /// The date in HTTP format (RFC 9110 §5.6.7), such as `Sun, 06 Nov 1994 08:49:37 GMT`.
    package var text: String {
        let day = Int((Double(secondsSince1970) / 86_400).rounded(.down))
        let second = Int(secondsSince1970) - day * 86_400
        let (year, month, dayOfMonth) = Self.civil(day)
        let time = [second / 3_600, second / 60 % 60, second % 60].map { Self.padded($0, 2) }
        // 1 January 1970 was a Thursday.
        let weekday = Self.weekdayNames[((day % 7) + 11) % 7]
        let date = "\(Self.padded(dayOfMonth, 2)) \(Self.monthNames[month - 1]) \(Self.padded(year, 4))"
        return "\(weekday), \(date) \(time.joined(separator: ":")) GMT"
    }

    private static let weekdayNames = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    private static let monthNames = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    private static func padded(_ number: Int, _ count: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, count - digits.count)) + digits
    }

    /// Converts a day since 1 January 1970 to a date in the Gregorian calendar.
    ///
    /// Counts in eras of 400 years that begin in March.
    ///
    /// - SeeAlso: Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms", 2013.
    private static func civil(_ day: Int) -> (year: Int, month: Int, day: Int) {
        let shifted = day + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        return (year, month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
    }
}
