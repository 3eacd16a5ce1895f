package import CalotypeCore

/// A date in HTTP format, in whole seconds.
///
/// All three forms of RFC 9110 §5.6.7 are accepted, ignoring case (RFC 9111 §4.2): `Sun, 06 Nov 1994 08:49:37
/// GMT`, `Sunday, 06-Nov-94 08:49:37 GMT` and `Sun Nov  6 08:49:37 1994`. Only the zone GMT is accepted. The
/// name of the day is not checked against the date.
package struct HTTPDate: Hashable, Sendable {
    /// Seconds since 1970; negative before.
    package let secondsSince1970: Int64

    /// Parses a date.
    ///
    /// - Parameters:
    ///   - text: The value of a header field.
    ///   - reference: The time for interpreting years of two digits: none is more than 50 years later.
    package init?(_ text: String, near reference: Timestamp) {
        var scanner = DateScanner(text.utf8)
        guard scanner.weekday(), let seconds = scanner.secondsSince1970(near: reference.year) else {
            return nil
        }
        secondsSince1970 = seconds
    }

    init(secondsSince1970: Int64) {
        self.secondsSince1970 = secondsSince1970
    }

    /// Returns the time between two dates.
    static func interval(from start: String, to end: String) -> Duration? {
        // Only the distance counts, so any reference for years of two digits works.
        let reference = Timestamp(nanosecondsSince1970: 1_700_000_000_000_000_000)
        guard let start = HTTPDate(start, near: reference), let end = HTTPDate(end, near: reference) else {
            return nil
        }
        return .seconds(end.secondsSince1970 - start.secondsSince1970)
    }

    /// The point in time; dates after 2262 are clamped.
    package var timestamp: Timestamp {
        Timestamp(nanosecondsSince1970: 0) + .seconds(secondsSince1970)
    }
}

/// A parser of dates, from left to right.
private struct DateScanner {
    private var rest: ArraySlice<UInt8>

    private static let maxByteCount = 64
    private static let weekdays = [
        "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday",
    ]
    private static let months = [
        "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
    ]

    init(_ text: String.UTF8View) {
        rest = text.prefix(Self.maxByteCount + 1).map { (65...90).contains($0) ? $0 | 0x20 : $0 }[...]
        while rest.last == UInt8(ascii: " ") { rest.removeLast() }
        while rest.first == UInt8(ascii: " ") { rest.removeFirst() }
    }

    /// Parses the name of a day, short or long.
    mutating func weekday() -> Bool {
        guard rest.count <= Self.maxByteCount else { return false }
        let name = letters()
        return Self.weekdays.contains { $0 == name || $0.prefix(3) == name }
    }

    /// Parses the rest after the name of the day.
    mutating func secondsSince1970(near referenceYear: Int) -> Int64? {
        guard takes(",") else { return unixStyle() }
        guard takes(" "), let day = number(2) else { return nil }
        let isLong = takes(" ")
        guard isLong || takes("-"), let month = month() else { return nil }
        guard takes(isLong ? " " : "-"), var year = number(isLong ? 4 : 2) else { return nil }
        if !isLong { year = Self.full(year, near: referenceYear) }
        guard takes(" "), let seconds = time(), takes(" "), letters() == "gmt", rest.isEmpty else {
            return nil
        }
        return Self.seconds(year, month, day, seconds)
    }

    /// Parses the rest of the `asctime` format of C.
    private mutating func unixStyle() -> Int64? {
        guard takes(" "), let month = month(), takes(" ") else { return nil }
        guard let day = takes(" ") ? number(1) : number(2), takes(" ") else { return nil }
        guard let seconds = time(), takes(" "), let year = number(4), rest.isEmpty else { return nil }
        return Self.seconds(year, month, day, seconds)
    }

    private mutating func month() -> Int? {
        let name = letters()
        return Self.months.firstIndex(of: name).map { $0 + 1 }
    }

    /// Returns the second of the day; a second of 60 is a leap second.
    private mutating func time() -> Int? {
        guard let hour = number(2), takes(":"), let minute = number(2), takes(":"), let second = number(2),
            hour < 24, minute < 60, second <= 60
        else { return nil }
        return (hour * 60 + minute) * 60 + second
    }

    private mutating func takes(_ character: Unicode.Scalar) -> Bool {
        guard rest.first == UInt8(ascii: character) else { return false }
        rest.removeFirst()
        return true
    }

    private mutating func letters() -> String {
        let word = rest.prefix { (97...122).contains($0) }
        rest.removeFirst(word.count)
        return String(decoding: word, as: UTF8.self)
    }

    private mutating func number(_ digitCount: Int) -> Int? {
        let digits = rest.prefix(digitCount)
        guard digits.count == digitCount, digits.allSatisfy({ (48...57).contains($0) }) else { return nil }
        rest.removeFirst(digitCount)
        return digits.reduce(0) { $0 * 10 + Int($1 - 48) }
    }

    private static func full(_ twoDigits: Int, near referenceYear: Int) -> Int {
        let year = referenceYear - referenceYear % 100 + twoDigits
        if year > referenceYear + 50 { return year - 100 }
        return year <= referenceYear - 50 ? year + 100 : year
    }

    private static func seconds(_ year: Int, _ month: Int, _ day: Int, _ secondOfDay: Int) -> Int64? {
        let isLeap = year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400))
        let dayCounts = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        guard year >= 1, day >= 1, day <= dayCounts[month - 1] else { return nil }
        let past = year - 1
        let days =
            past * 365 + past / 4 - past / 100 + past / 400 + dayCounts.prefix(month - 1).reduce(0, +) + day
        return Int64(days - daysUntil1970) * 86_400 + Int64(secondOfDay)
    }

    /// The days from 31 December of the year before 0001 to 1970-01-01.
    private static let daysUntil1970 = 719_163
}

extension Timestamp {
    /// The year, approximately; near its end, possibly the next one.
    fileprivate var year: Int {
        // The mean year of the Gregorian calendar.
        1970 + Int(nanosecondsSince1970 / 1_000_000_000) / 31_556_952
    }
}
