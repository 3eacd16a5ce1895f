/// Readings of a service at one moment, in addition to its counters.
public struct ServiceReadings: Hashable, Sendable {
    /// A value with an optional limit.
    public struct Level: Hashable, Sendable {
        /// The value.
        public var value: Int
        /// The limit; `nil` for none.
        public var limit: Int?

        /// Creates a level.
        public init(_ value: Int, of limit: Int? = nil) {
            (self.value, self.limit) = (value, limit)
        }
    }

    /// Readings of the codec workers.
    public struct Workers: Hashable, Sendable {
        /// The number of processes.
        public var processCount = 0
        /// The number of processes executing a job.
        public var busyCount = 0
        /// The number of processes started in all.
        public var startedCount = 0
        /// The number of jobs started in all.
        public var jobCount = 0
        /// The memory of all processes, in bytes.
        public var memoryByteCount = 0
        /// The number of replaced processes, by reason.
        public var replacedCounts: [String: Int] = [:]

        /// Creates empty readings.
        public init() {}
    }

    /// The load of the service.
    public var load = ServiceLoad(runningCount: 0, waitingCount: 0, heldByteCount: 0, byteCountMax: nil)
    /// Bytes of encoded results in memory.
    public var memory = Level(0)
    /// Bytes on disk, a level for each store by name.
    public var disks: [String: Level] = [:]
    /// Client connections.
    public var connections = Level(0)
    /// The number of loads from origins in progress.
    public var fetchCount = 0
    /// Failures of stores and loads from origins since the start.
    public var pipeline = PipelineWatch.Counts()
    /// Bytes of results waiting to be written to a store.
    public var unwrittenByteCount = 0
    /// The codec workers; `nil` for in-process codecs.
    public var workers: Workers?
    /// The number of entries evicted to keep a limit, by tier.
    public var evictionCounts: [String: Int] = [:]
    /// The processor time of the process, without its workers.
    public var processorTime: Duration = .zero
    /// The open descriptors and their limit; `nil` if unknown.
    public var descriptors: Level?
    /// The resident memory of the process; `nil` if unknown.
    public var residentByteCount: Int?
    /// The number of reloads of the settings, by outcome; empty if there are none.
    public var reloadCounts: [String: Int] = [:]
    /// The time since the start of the service.
    public var uptime: Duration = .zero
    /// Whether the service accepts new requests.
    public var isReady = true
    /// The version of the service.
    public var version = ""

    /// Creates empty readings.
    public init() {}
}
