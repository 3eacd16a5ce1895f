extension Duration {
    /// Returns a number of days of 24 hours; at most about 292 billion years.
    package static func days(_ count: Int) -> Duration { multiple(of: 86_400, count) }

    /// Returns a number of hours; at most about 292 billion years.
    package static func hours(_ count: Int) -> Duration { multiple(of: 3_600, count) }

    /// Returns a number of minutes; at most about 292 billion years.
    package static func minutes(_ count: Int) -> Duration { multiple(of: 60, count) }

    /// Clamps instead of trapping, since the number may come from outside.
    private static func multiple(of seconds: Int, _ count: Int) -> Duration {
        let (product, overflows) = seconds.multipliedReportingOverflow(by: count)
        return .seconds(overflows ? (count < 0 ? Int.min : Int.max) : product)
    }
}
