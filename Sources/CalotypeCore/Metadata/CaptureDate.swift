extension Exif {
    /// A local date and time, with the offset from UTC where the camera recorded one.
    public struct CaptureDate: Hashable, Sendable {
        /// The year, 1 to 9999.
        public let year: Int
        /// The month, 1 to 12.
        public let month: Int
        /// The day of the month, 1 to 31.
        public let day: Int
        /// The hour, 0 to 23.
        public let hour: Int
        /// The minute, 0 to 59.
        public let minute: Int
        /// The second, 0 to 60.
        public let second: Int
        /// The fraction of the second in nanoseconds; 0 if not stated.
        public let nanosecond: Int
        /// Seconds that local time is ahead of UTC; `nil` if not stated.
        public let secondsFromUTC: Int?

        /// Creates a date; `nil` if a number is outside its range.
        ///
        /// - Parameters:
        ///   - year: 1 to 9999.
        ///   - month: 1 to 12.
        ///   - day: 1 to the last day of the month.
        ///   - hour: 0 to 23.
        ///   - minute: 0 to 59.
        ///   - second: 0 to 60.
        ///   - nanosecond: 0 to 999,999,999.
        ///   - secondsFromUTC: At most 15 hours either way.
        public init?(
            year: Int,
            month: Int,
            day: Int,
            hour: Int = 0,
            minute: Int = 0,
            second: Int = 0,
            nanosecond: Int = 0,
            secondsFromUTC: Int? = nil
        ) {
            guard (1...9999).contains(year), (1...12).contains(month),
                (1...Self.dayCount(year: year, month: month)).contains(day), (0...23).contains(hour),
                (0...59).contains(minute), (0...60).contains(second),
                (0..<1_000_000_000).contains(nanosecond),
                (-54_000...54_000).contains(secondsFromUTC ?? 0)
            else { return nil }
            (self.year, self.month, self.day) = (year, month, day)
            (self.hour, self.minute, self.second) = (hour, minute, second)
            (self.nanosecond, self.secondsFromUTC) = (nanosecond, secondsFromUTC)
        }

        /// The instant; `nil` without an offset from UTC.
        public var timestamp: Timestamp? {
            guard let secondsFromUTC else { return nil }
            let seconds = ((daysSince1970 * 24 + hour) * 60 + minute) * 60 + second - secondsFromUTC
            return Timestamp(nanosecondsSince1970: 0) + .seconds(seconds) + .nanoseconds(nanosecond)
        }

        private static func dayCount(year: Int, month: Int) -> Int {
            let isLeapYear = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
            return month == 2 ? (isLeapYear ? 29 : 28) : [4, 6, 9, 11].contains(month) ? 30 : 31
        }

        /// Counts years from March, so that the leap day is the last day.
        private var daysSince1970: Int {
            let marchYear = month > 2 ? year : year - 1
            let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
            return marchYear * 365 + marchYear / 4 - marchYear / 100 + marchYear / 400 + dayOfYear - 719_468
        }
    }
}

extension Exif.CaptureDate: CustomStringConvertible {
    /// The date as ISO 8601 without the fraction of the second: `2026-11-26T09:30:00+01:00`.
    public var description: String {
        let date = "\(Self.digits(year, 4))-\(Self.digits(month))-\(Self.digits(day))"
        let time = "T\(Self.digits(hour)):\(Self.digits(minute)):\(Self.digits(second))"
        guard let secondsFromUTC else { return date + time }
        let minutes = abs(secondsFromUTC) / 60
        let offset = "\(Self.digits(minutes / 60)):\(Self.digits(minutes % 60))"
        return date + time + (secondsFromUTC < 0 ? "-" : "+") + offset
    }

    private static func digits(_ value: Int, _ count: Int = 2) -> String {
        let text = String(value)
        return String(repeating: "0", count: max(0, count - text.count)) + text
    }
}
