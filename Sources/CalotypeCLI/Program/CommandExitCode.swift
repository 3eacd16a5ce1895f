/// The exit statuses, a stable interface for other programs.
enum CommandExitCode: Int32, Error, CaseIterable {
    /// All work succeeded.
    case success = 0
    /// A load, a decode or a write failed; others may have succeeded.
    case failure = 1
    case usage = 2
    /// The cache holds damaged entries.
    case damaged = 3
    /// A requested image is not in the cache.
    case notInCache = 4
    /// The user pressed Ctrl-C.
    case interrupted = 130

    /// Returns the status of several items: a failure takes precedence over all others.
    ///
    /// If all that failed were not in the cache, the status is `notInCache`.
    static func combined(_ statuses: some Sequence<CommandExitCode>) -> CommandExitCode {
        let worst: [CommandExitCode] = [.interrupted, .usage, .failure, .damaged, .notInCache]
        let seen = Set(statuses)
        return worst.first(where: seen.contains) ?? .success
    }
}
