/// The counters of a disk cache since it was opened, in one consistent snapshot.
public struct DiskStatistics: Hashable, Sendable {
    /// The number of reads that found an entry.
    public var hitCount = 0
    /// The number of reads that found none, including damaged and expired ones.
    public var missCount = 0
    /// The number of reads that found an expired entry.
    public var expiredCount = 0
    /// The number of entries that failed verification and counted as a miss.
    public var damagedCount = 0
    /// The number of entries written or renewed.
    public var writeCount = 0
    /// The number of writes that failed.
    public var writeFailureCount = 0
    /// The number of entries evicted to enforce the limits.
    public var evictionCount = 0
    /// The number of failed removals of files, write-backs of dates, scans and sweeps.
    public var maintenanceFailureCount = 0
    /// The number of files of dead writers that were removed or put back.
    public var sweptFileCount = 0

    /// Creates statistics with all counters at zero.
    public init() {}
}
