public import Calotype
public import CalotypeCodecs

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

    /// The images in progress and waiting.
    public var load = ImagePipeline.Workload.idle
    /// Bytes of encoded results in memory.
    public var memory = Level(0)
    /// Bytes on disk, a level for each store by name.
    public var disks: [String: Level] = [:]
    /// Client connections.
    public var connections = Level(0)
    /// The number of loads from origins in progress.
    public var fetchCount = 0
    /// Failures of stores and loads from origins since the start.
    public var pipeline = PipelineMonitor.Counts()
    /// Bytes of results waiting to be written to a store.
    public var unwrittenByteCount = 0
    /// The codec workers; `nil` for in-process codecs.
    public var workers: CodecWorkerStatistics?
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

extension CodecWorkerStatistics {
    /// The number of replaced processes by reason; every reason is present, so that rates have a first value.
    var replacedCounts: [String: Int] {
        let lost = Loss.allCases.map { ($0.rawValue, lossCounts[$0, default: 0]) }
        return Dictionary(uniqueKeysWithValues: lost + [("renewed", renewedCount)])
    }
}
