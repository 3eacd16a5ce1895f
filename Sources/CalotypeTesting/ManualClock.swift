internal import CalotypeSupport

/// A clock that only moves when advanced; sleepers wake when their deadline has passed.
public final class ManualClock: Clock {
    /// A point in time, relative to the clock's start.
    public struct Instant: InstantProtocol {
        /// The time since the start.
        public let offset: Duration

        /// Returns the instant that is later by a duration.
        public func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }

        /// Returns the time to another instant.
        public func duration(to other: Instant) -> Duration { other.offset - offset }

        /// Returns whether `left` is before `right`.
        public static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
    }

    private struct Sleeper: Sendable {
        let deadline: Instant
        let continuation: CheckedContinuation<Void, any Error>
    }

    private struct State: Sendable {
        var now = Instant(offset: .zero)
        var sleepers: [Int: Sleeper] = [:]
        var lastID = 0
        /// The sleepers cancelled before they slept.
        var cancelledIDs: Set<Int> = []
        var onSleep: [@Sendable (Duration) -> Void] = []
    }

    private let state = Guarded(State())

    /// Creates a clock at its start.
    public init() {}

    /// The current time.
    public var now: Instant { state.withLock { $0.now } }

    /// The minimum resolution: zero.
    public var minimumResolution: Duration { .zero }

    /// Moves forward and wakes the sleepers that are due.
    public func advance(by duration: Duration) {
        let woken = state.withLock { state in
            let now = state.now.advanced(by: duration)
            state.now = now
            let due = state.sleepers.filter { $0.value.deadline <= now }
            for id in due.keys { state.sleepers[id] = nil }
            return due.values.sorted { $0.deadline < $1.deadline }
        }
        for sleeper in woken { sleeper.continuation.resume() }
    }

    /// Waits until a task sleeps, and returns the remaining time of the first to wake.
    public func nextSleep() async -> Duration {
        await withCheckedContinuation { continuation in
            let sleeping = state.withLock { state -> Duration? in
                if let first = state.sleepers.values.map(\.deadline).min() {
                    return state.now.duration(to: first)
                }
                state.onSleep.append { continuation.resume(returning: $0) }
                return nil
            }
            if let sleeping { continuation.resume(returning: sleeping) }
        }
    }

    /// Sleeps until the clock has been advanced to `deadline`.
    ///
    /// - Throws: `CancellationError` if the task is cancelled.
    public func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        let id = state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                register(Sleeper(deadline: deadline, continuation: continuation), id: id)
            }
        } onCancel: {
            let sleeper = state.withLock { state in
                let sleeper = state.sleepers.removeValue(forKey: id)
                if sleeper == nil { state.cancelledIDs.insert(id) }
                return sleeper
            }
            sleeper?.continuation.resume(throwing: CancellationError())
        }
    }

    private enum Registration: Sendable {
        case cancelled
        case due
        case asleep(listeners: [@Sendable (Duration) -> Void], Duration)
    }

    private func register(_ sleeper: Sleeper, id: Int) {
        let registration = state.withLock { state -> Registration in
            if state.cancelledIDs.remove(id) != nil { return .cancelled }
            guard sleeper.deadline > state.now else { return .due }
            state.sleepers[id] = sleeper
            defer { state.onSleep = [] }
            return .asleep(listeners: state.onSleep, state.now.duration(to: sleeper.deadline))
        }
        switch registration {
        case .cancelled: sleeper.continuation.resume(throwing: CancellationError())
        case .due: sleeper.continuation.resume()
        case .asleep(let listeners, let duration): for tell in listeners { tell(duration) }
        }
    }
}
