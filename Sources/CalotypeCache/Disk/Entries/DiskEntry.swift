public import CalotypeCore

/// An entry of a disk cache, for inspection by an operator.
public struct DiskEntry: Hashable, Sendable {
    /// The key that it is stored under.
    public var key: String
    /// The path of its file.
    public var path: String
    /// The size of the file in bytes: payload and record.
    public var byteCount: Int
    /// The time of the last write or renewal.
    public var writtenAt: Timestamp
    /// The time of the last read or write; a use by another process is visible once that process has written
    /// it back.
    public var accessedAt: Timestamp
    /// The time when it stops being served; `nil` for never.
    public var expiresAt: Timestamp?
}

/// The result of verifying a disk cache.
public struct DiskVerification: Hashable, Sendable {
    /// An entry that failed verification.
    public struct Failure: Hashable, Sendable {
        /// The path of its file.
        public var path: String
        /// The kind of damage, as one fixed word.
        public var reason: String
    }

    /// The most failures of each kind that are listed individually.
    public static let maxFailureCount = 1000

    /// The number of entries that were read from end to end.
    public var checkedCount = 0
    /// The number of checked entries that failed.
    public var corruptCount = 0
    /// The number of failed entries that were removed.
    public var repairedCount = 0
    /// The first failures, at most ``maxFailureCount``.
    public var failures: [Failure] = []
    /// The number of files and folders that could not be read; their contents are in no other count.
    public var unreadableCount = 0
    /// The errors of the first unreadable files and folders, at most ``maxFailureCount``.
    public var unreadable: [DiskCacheError] = []
}

/// The progress of a long operation.
public struct DiskProgress: Hashable, Sendable {
    /// The number of entries that are done.
    public var finishedCount: Int
    /// The number of entries when the operation began; entries may be added and removed meanwhile.
    public var totalCount: Int

    /// Creates a progress value.
    public init(finishedCount: Int, totalCount: Int) {
        self.finishedCount = finishedCount
        self.totalCount = totalCount
    }
}
