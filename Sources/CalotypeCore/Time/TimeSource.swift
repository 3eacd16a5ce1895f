import CalotypeSupport

/// The source of wall-clock time: dates of cache entries, freshness, expiry.
///
/// Injected instead of read from a global, so that tests control it. Durations are measured with
/// `ContinuousClock`.
public protocol TimeSource: Sendable {
    /// The time now.
    func now() -> Timestamp
}

/// The clock of the system.
///
/// - SeeAlso: `clock_gettime(CLOCK_REALTIME)`.
public struct SystemTimeSource: TimeSource {
    /// Creates a source; all instances are equal.
    public init() {}

    /// Returns the wall-clock time of the system.
    public func now() -> Timestamp {
        var time = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &time)
        return Timestamp(nanosecondsSince1970: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
    }
}
