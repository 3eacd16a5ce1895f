/// The machine's resources that this process has used so far.
package enum ProcessUsage {
    /// The processor time of all of its threads.
    package static var processorTime: Duration {
        var time = timespec()
        guard unsafe clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time) == 0 else { return .zero }
        return .seconds(Int(time.tv_sec)) + .nanoseconds(Int(time.tv_nsec))
    }

    /// The maximum number of open descriptors; `nil` if the system does not report one.
    package static var descriptorLimit: Int? {
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        var limit = rlimit()
        guard unsafe getrlimit(resource, &limit) == 0 else { return nil }
        return Int(clamping: limit.rlim_cur)
    }
}
