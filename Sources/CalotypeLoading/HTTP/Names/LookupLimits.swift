/// The bounds of the lookups of a process.
struct LookupLimits: Sendable {
    /// The most lookups that run at once; names that were found promptly before may take all of them.
    let runningCount: Int
    /// The most names of each kind that wait.
    let waitingNameCount: Int
    /// The most waiters of all names.
    let waiterCount: Int

    /// The most waiters of one name, so that a silent server leaves room for the names of others.
    var waiterCountPerName: Int { max(1, waiterCount / 4 * 3) }
    /// The most lookups that run when one starts for a name that was not found promptly before.
    var unreservedCount: Int { max(1, runningCount - runningCount / 8) }
    /// The most slow names that run at once.
    var slowCount: Int { max(1, runningCount / 4) }
}
