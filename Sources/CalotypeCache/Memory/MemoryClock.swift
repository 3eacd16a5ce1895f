import CalotypeSupport

/// The time by which entries of a memory cache end, and who wakes the cache when some have.
@usableFromInline
package struct MemoryClock: Sendable {
    /// What time it is.
    @usableFromInline package var now: @Sendable () -> ContinuousClock.Instant
    /// Calls a closure after a while; returns what ``cancel`` takes.
    package var wake: @Sendable (Duration, @escaping @Sendable () -> Void) -> Int
    /// Takes such a call back.
    package var cancel: @Sendable (Int) -> Void

    package init(
        now: @escaping @Sendable () -> ContinuousClock.Instant,
        wake: @escaping @Sendable (Duration, @escaping @Sendable () -> Void) -> Int,
        cancel: @escaping @Sendable (Int) -> Void
    ) {
        (self.now, self.wake, self.cancel) = (now, wake, cancel)
    }

    /// The system's; whatever is called then may take its time.
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
