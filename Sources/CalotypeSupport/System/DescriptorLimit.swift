/// The maximum number of open descriptors of this process (`RLIMIT_NOFILE`).
package enum DescriptorLimit {
    /// Raises the soft limit to the hard one.
    ///
    /// For programs, not for libraries: the limit applies to the whole process.
    ///
    /// - Returns: The limit in effect afterwards.
    package static func raise() -> Int {
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        var limit = rlimit()
        guard unsafe getrlimit(resource, &limit) == 0 else { return unknown }
        var raised = limit
        raised.rlim_cur = limit.rlim_max
        let holds = unsafe setrlimit(resource, &raised) == 0 ? raised : limit
        return Int(clamping: holds.rlim_cur)
    }

    /// The traditional soft limit, assumed if the system does not report one.
    private static let unknown = 1_024
}
