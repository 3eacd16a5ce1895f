/// The number of descriptors that this process may have open (`RLIMIT_NOFILE`).
package enum DescriptorLimit {
    /// Raises the soft limit to the hard one.
    ///
    /// For programs, not for libraries: the limit counts for all of the process.
    ///
    /// - Returns: The limit that holds afterwards.
    package static func raise() -> Int {
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        var limit = rlimit()
        guard unsafe getrlimit(resource, &limit) == 0 else { return unknown }
        var raised = limit
        raised.rlim_cur = limit.rlim_max
        let holds = unsafe setrlimit(resource, &raised) == 0 ? raised : limit
        return Int(clamping: holds.rlim_cur)
    }

    /// The traditional soft limit, assumed if the system does not tell its own.
    private static let unknown = 1_024
}
