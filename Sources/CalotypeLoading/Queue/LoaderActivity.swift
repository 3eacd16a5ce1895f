/// The current activity of a loader, for gauges; none of the values accumulates over time.
public struct LoaderActivity: Hashable, Sendable {
    /// The loads of one origin.
    public struct Origin: Hashable, Sendable {
        /// The number of running loads; 0 unless set.
        public var runningCount = 0
        /// The number of loads that wait for a permit; 0 unless set.
        public var waitingCount = 0

        /// Creates the counts of an idle origin.
        public init() {}
    }

    /// The number of running loads; 0 unless set.
    public var runningCount = 0
    /// The number of loads that wait for a permit; 0 unless set.
    public var waitingCount = 0
    /// The activity by origin: scheme, host and port (`https://example.org:443`).
    public var origins: [String: Origin] = [:]

    /// Creates the activity of an idle loader.
    public init() {}

    /// Returns the sum of two activities.
    func merging(_ other: LoaderActivity) -> LoaderActivity {
        var merged = self
        merged.runningCount += other.runningCount
        merged.waitingCount += other.waitingCount
        merged.origins.merge(other.origins) { left, right in
            var both = left
            both.runningCount += right.runningCount
            both.waitingCount += right.waitingCount
            return both
        }
        return merged
    }
}
