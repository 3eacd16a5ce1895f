/// What a loader is doing at one moment, for gauges: nothing in it is a sum over time.
public struct LoaderActivity: Hashable, Sendable {
    /// The loads of one origin.
    public struct Origin: Hashable, Sendable {
        /// Those that run; 0 unless set.
        public var runningCount = 0
        /// Those that wait for a place; 0 unless set.
        public var waitingCount = 0

        /// Creates the counts of an idle origin.
        public init() {}
    }

    /// Loads that run; 0 unless set.
    public var runningCount = 0
    /// Loads that wait for a place; 0 unless set.
    public var waitingCount = 0
    /// Each origin that any of them belong to, by scheme, host and port (`https://example.org:443`).
    public var origins: [String: Origin] = [:]

    /// Creates the activity of an idle loader.
    public init() {}

    /// Both together.
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
