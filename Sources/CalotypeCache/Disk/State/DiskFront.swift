import CalotypeCore

/// The small state that every call reads, under a lock held for a few instructions only.
struct DiskFront: Sendable {
    var statistics = DiskStatistics()
    /// Whether entries in the page cache can be read without waiting.
    var cachedReads = CachedReads.untried
    /// The rules in force; `nil` until the directory has been opened.
    var rules: DiskRules?
    /// Orders uses and writes.
    var clock = UseClock()
    var isClosed = false
    /// The reason why the directory could not be opened fully.
    var openingError: DiskCacheError?

    /// Whether the directory is not trusted, and so not used at all.
    var isRefused: Bool { openingError?.code == .untrustedDirectory }
}

/// The state of cached reads: whether the system can read the page cache without waiting for the device.
enum CachedReads: Sendable {
    /// Unknown; a thread that may block determines it.
    case untried
    case possible
    /// The system or the file system does not support it.
    case impossible
}
