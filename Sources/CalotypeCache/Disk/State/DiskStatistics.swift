/// What a disk cache has done since it was opened, in one consistent reading.
public struct DiskStatistics: Hashable, Sendable {
    /// Reads that found an entry.
    public var hitCount = 0
    /// Reads that found none; damaged and expired ones included.
    public var missCount = 0
    /// Reads that found an entry past its time.
    public var expiredCount = 0
    /// Entries that failed a check and were taken for a miss.
    public var damagedCount = 0
    /// Entries written or renewed.
    public var writeCount = 0
    /// Writes that failed.
    public var writeFailureCount = 0
    /// Entries removed to keep the limits.
    public var evictionCount = 0
    /// Files that could not be removed, dates that could not be written back, scans and sweeps that failed.
    public var maintenanceFailureCount = 0
    /// Files of writers that had died, removed or put back.
    public var sweptFileCount = 0

    /// Creates a reading of zeros.
    public init() {}
}
