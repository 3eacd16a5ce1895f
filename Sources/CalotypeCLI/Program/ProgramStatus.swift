/// How the program ends, as other programs rely on it.
enum ProgramStatus: Int32, Error, CaseIterable {
    /// Everything that was asked for was done.
    case success = 0
    /// A load, a decode or a write failed; perhaps others did not.
    case failure = 1
    /// The arguments make no sense.
    case usage = 2
    /// The cache holds damaged entries.
    case damaged = 3
    /// What was asked for is not in the cache.
    case notInCache = 4
    /// The user pressed Ctrl-C.
    case interrupted = 130

    /// The status of several pieces of work: a failure outweighs everything else.
    ///
    /// Where all that failed was not in the cache, that is the status.
    static func combined(_ statuses: some Sequence<ProgramStatus>) -> ProgramStatus {
        let worst: [ProgramStatus] = [.interrupted, .usage, .failure, .damaged, .notInCache]
        let seen = Set(statuses)
        return worst.first(where: seen.contains) ?? .success
    }
}
