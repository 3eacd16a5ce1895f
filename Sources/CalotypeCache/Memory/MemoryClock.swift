import CalotypeSupport

/// The clock for the expiry of entries, with timers that wake the cache.
@usableFromInline
package struct MemoryClock: Sendable {
    @usableFromInline package var now: @Sendable () -> ContinuousClock.Instant
    /// Calls a closure after a duration; returns the argument for ``cancel``.
    package var wake: @Sendable (Duration, @escaping @Sendable () -> Void) -> Int
    /// Cancels such a call.
    package var cancel: @Sendable (Int) -> Void

    package init(
        now: @escaping @Sendable () -> ContinuousClock.Instant,
        wake: @escaping @Sendable (Duration, @escaping @Sendable () -> Void) -> Int,
        cancel: @escaping @Sendable (Int) -> Void
    ) {
        (self.now, self.wake, self.cancel) = (now, wake, cancel)
    }

    /// The system's clock; closures run in detached tasks and may take long.
    package static var system: MemoryClock {
        MemoryClock(
            now: { .now },
            wake: { duration, body in
                Alarms.shared.set(after: duration) { Task.detached(priority: .utility) { body() } }
            },
            cancel: { Alarms.shared.cancel($0) }
        )
    }
}
