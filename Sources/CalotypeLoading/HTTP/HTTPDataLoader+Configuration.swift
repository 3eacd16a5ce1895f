extension HTTPDataLoader {
    /// The limits of a loader, and what it sends and accepts.
    public struct Configuration: Sendable {
        /// The most loads that run at once; 64 unless set, at least 1.
        public var fetchConcurrencyMax = 64
        /// The most loads that run at once from one host, each on a connection of its own; 6 unless set, at
        /// least 1.
        public var fetchConcurrencyPerHostMax = 6
        /// The most loads that wait for their turn, more fail with `overloaded`; 10,000 unless set.
        public var queuedFetchCountMax = 10_000
        /// The time for a connection to be made, TLS included; 10 s unless set.
        public var connectTimeout: Duration = .seconds(10)
        /// The longest silence of the other side once the request is sent; 15 s unless set.
        ///
        /// A reader of the body that stops reading for so long ends the load as well.
        public var idleTimeout: Duration = .seconds(15)
        /// The time from leaving the queue to the last byte, redirects included; 60 s unless set.
        public var totalTimeout: Duration = .seconds(60)
        /// The most redirects that are followed; 5 unless set.
        public var redirectCountMax = 5
        /// The statuses that carry an image; 200...299 unless set.
        public var acceptedStatuses = Set(200...299)
        /// The types that are accepted, such as `image/png` or `image/*`; `nil`, any, unless set.
        public var acceptedContentTypes: [String]?
        /// The `User-Agent` that is sent where the request has none.
        public var userAgent = "Calotype"
        /// The `Accept` that is sent where the request has none.
        public var accept = "image/*,*/*;q=0.8"

        /// Creates a configuration with the defaults.
        public init() {}
    }
}
