import CalotypeCore

/// The little that every call looks at, under a lock that is held for a few instructions only.
struct DiskFront: Sendable {
    /// What has been counted.
    var statistics = DiskStatistics()
    /// Whether entries that are in memory can be read without waiting.
    var cachedReads = CachedReads.untried
    /// The rules in force; `nil` until the directory has been opened.
    var rules: DiskRules?
    /// Orders uses and writes.
    var clock = UseClock()
    /// Whether the cache has been closed.
    var isClosed = false
    /// Why the directory could not be opened fully.
    var openingError: DiskCacheError?

    /// Whether the directory is not to be trusted, and so not used at all.
    var isRefused: Bool { openingError?.code == .untrustedDirectory }
}

/// Whether the system can read what is in memory without waiting for anything.
enum CachedReads: Sendable {
    /// Nobody knows yet; a thread that may wait is to find out.
    case untried
    case possible
    /// The system, or the file system, cannot tell whether it would have to wait.
    case impossible
}
