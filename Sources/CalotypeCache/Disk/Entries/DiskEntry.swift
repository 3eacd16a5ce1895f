public import CalotypeCore

/// An entry of a disk cache, as an operator sees it.
public struct DiskEntry: Hashable, Sendable {
    /// The key it was stored for.
    public var key: String
    /// Its file.
    public var path: String
    /// Bytes of the file: payload and record.
    public var byteCount: Int
    /// When it was written or last renewed.
    public var writtenAt: Timestamp
    /// When it was last read or written; a use by another process shows once that process has written it
    /// back.
    public var accessedAt: Timestamp
    /// When it stops being served; `nil` for never.
    public var expiresAt: Timestamp?
}

/// What a check of a disk cache found.
public struct DiskVerification: Hashable, Sendable {
    /// An entry that failed.
    public struct Failure: Hashable, Sendable {
        /// Its file.
        public var path: String
        /// What is wrong with it, in one fixed word.
        public var reason: String
    }

    /// The most failures of each kind that are listed one by one.
    public static let failureCountMax = 1000

    /// Entries that were read from end to end.
    public var checkedCount = 0
    /// Entries among them that failed.
    public var corruptCount = 0
    /// Entries among those that were removed.
    public var repairedCount = 0
    /// The first failures, at most ``failureCountMax``.
    public var failures: [Failure] = []
    /// Files and folders that could not be read at all; what they hold is in no other count.
    public var unreadableCount = 0
    /// Why the first of those could not be read, at most ``failureCountMax``.
    public var unreadable: [DiskCacheError] = []
}

/// How far a long piece of work has come.
public struct DiskProgress: Hashable, Sendable {
    /// Entries that are done.
    public var finishedCount: Int
    /// Entries there were when the work began; others come and go.
    public var totalCount: Int

    /// Creates a state of progress.
    public init(finishedCount: Int, totalCount: Int) {
        self.finishedCount = finishedCount
        self.totalCount = totalCount
    }
}
