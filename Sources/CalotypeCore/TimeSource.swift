import CalotypeSupport

/// Where the time of day comes from: the dates of cache entries, freshness, expiry.
///
/// Passed in, never read from a global, so that tests own it. Durations are measured with `ContinuousClock`.
public protocol TimeSource: Sendable {
    /// The time now.
    func now() -> Timestamp
}

/// The clock of the system.
///
/// - SeeAlso: `clock_gettime(CLOCK_REALTIME)`.
public struct SystemTimeSource: TimeSource {
    /// Creates the source; all are alike.
    public init() {}

    /// The system's time of day.
    public func now() -> Timestamp {
        var time = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &time)
        return Timestamp(nanosecondsSince1970: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
    }
}
