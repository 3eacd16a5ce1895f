public import CalotypeCore
import CalotypeSupport

/// A time of day that only moves when advanced.
public final class ManualTimeSource: TimeSource {
    private let time: Guarded<Timestamp>

    /// Creates a source; it starts in November 2023 by default.
    public init(_ start: Timestamp = Timestamp(nanosecondsSince1970: 1_700_000_000_000_000_000)) {
        time = Guarded(start)
    }

    /// Returns the current time.
    public func now() -> Timestamp { time.withLock { $0 } }

    /// Moves the time forward, or back for a negative duration.
    public func advance(by duration: Duration) {
        time.withLock { $0 = $0 + duration }
    }
}
