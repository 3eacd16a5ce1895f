extension Duration {
    /// So many days of 24 hours.
    public static func days(_ count: Int) -> Duration { .hours(24) * count }

    /// So many hours.
    public static func hours(_ count: Int) -> Duration { .minutes(60) * count }

    /// So many minutes.
    public static func minutes(_ count: Int) -> Duration { .seconds(60) * count }
}
