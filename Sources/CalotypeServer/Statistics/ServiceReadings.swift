/// What a service holds and does at one moment, beside what has been counted.
public struct ServiceReadings: Hashable, Sendable {
    /// So much of something, and the most of it that there may be.
    public struct Level: Hashable, Sendable {
        /// How much there is.
        public var value: Int
        /// The most; `nil` where there is no limit.
        public var limit: Int?

        /// Creates a level.
        public init(_ value: Int, of limit: Int? = nil) {
            (self.value, self.limit) = (value, limit)
        }
    }

    /// The processes that codecs work in.
    public struct Workers: Hashable, Sendable {
        /// Those that are there.
        public var processCount = 0
        /// Those of them that do a job.
        public var busyCount = 0
        /// Those that have been started.
        public var startedCount = 0
        /// Jobs that have been begun.
        public var jobCount = 0
        /// Bytes of memory of all of them.
        public var memoryByteCount = 0
        /// Those that another has taken the place of, by a word for why.
        public var replacedCounts: [String: Int] = [:]

        /// Creates a reading of none.
        public init() {}
    }

    /// What it is working on.
    public var load = ServiceLoad(runningCount: 0, waitingCount: 0, heldByteCount: 0, byteCountMax: nil)
    /// Bytes of encoded results in memory.
    public var memory = Level(0)
    /// Bytes on disk, a level for each store by its name.
    public var disks: [String: Level] = [:]
    /// Connections of clients.
    public var connections = Level(0)
    /// Loads from origins that are under way.
    public var fetchCount = 0
    /// Failures of stores and loads from origins since the start.
    public var pipeline = PipelineWatch.Counts()
    /// Bytes that have been answered and wait to be written to a store.
    public var unwrittenByteCount = 0
    /// The processes that codecs work in; `nil` where they work in the service's own.
    public var workers: Workers?
    /// Entries that have left a tier to keep its limits, by the tier.
    public var evictionCounts: [String: Int] = [:]
    /// The processor time of the process, without that of its workers.
    public var processorTime: Duration = .zero
    /// Descriptors that the process has open, and may have; `nil` where the system does not tell.
    public var descriptors: Level?
    /// The memory of the process, as the system counts it; `nil` where it does not tell.
    public var residentByteCount: Int?
    /// Reloads of the settings by their outcome; empty where there are none.
    public var reloadCounts: [String: Int] = [:]
    /// Since the service was started.
    public var uptime: Duration = .zero
    /// Whether new requests are to be sent to it.
    public var isReady = true
    /// Which version answers.
    public var version = ""

    /// Creates a reading of nothing.
    public init() {}
}
