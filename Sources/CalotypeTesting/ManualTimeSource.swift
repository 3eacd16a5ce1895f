public import CalotypeCore
import CalotypeSupport

/// A time of day that stands still until it is told to move.
public final class ManualTimeSource: TimeSource {
    private let time: Guarded<Timestamp>

    /// Creates a source; it starts in November 2023 unless told otherwise.
    public init(_ start: Timestamp = Timestamp(nanosecondsSince1970: 1_700_000_000_000_000_000)) {
        time = Guarded(start)
    }

    /// The time it was last set or moved to.
    public func now() -> Timestamp { time.withLock { $0 } }

    /// Moves the time forward, or back where the duration is negative.
    public func advance(by duration: Duration) {
        time.withLock { $0 = $0 + duration }
    }
}
