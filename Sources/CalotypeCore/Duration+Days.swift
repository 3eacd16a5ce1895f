extension Duration {
    /// So many days of 24 hours; at most some 292 billion years.
    public static func days(_ count: Int) -> Duration { multiple(of: 86_400, count) }

    /// So many hours; at most some 292 billion years.
    public static func hours(_ count: Int) -> Duration { multiple(of: 3_600, count) }

    /// So many minutes; at most some 292 billion years.
    public static func minutes(_ count: Int) -> Duration { multiple(of: 60, count) }

    /// A number from outside is as long as a duration can be, in place of the end of the program.
    private static func multiple(of seconds: Int, _ count: Int) -> Duration {
        let (product, overflows) = seconds.multipliedReportingOverflow(by: count)
        return .seconds(overflows ? (count < 0 ? Int.min : Int.max) : product)
    }
}
