/// The bounds of the lookups of a process.
struct LookupLimits: Sendable {
    /// The most lookups running at once; names resolved promptly before may use all of them.
    let runningCount: Int
    /// The most waiting names of each kind.
    let waitingNameCount: Int
    /// The most waiters of all names.
    let waiterCount: Int

    /// The most waiters of one name, so that an unresponsive server leaves capacity for other names.
    var waiterCountPerName: Int { max(1, waiterCount / 4 * 3) }
    /// The most lookups running when one starts for a name that was not resolved promptly before.
    var unreservedCount: Int { max(1, runningCount - runningCount / 8) }
    /// The most lookups of slow names running at once.
    var slowCount: Int { max(1, runningCount / 4) }
}
