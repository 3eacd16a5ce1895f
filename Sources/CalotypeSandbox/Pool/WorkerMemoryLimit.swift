import CSandbox
import CalotypeSupport

/// The limit for the memory of all workers together.
///
/// Above the limit workers are terminated: idle workers first, then the largest.
final class WorkerMemoryLimit: Sendable {
    private struct Entry {
        let pidfd: Descriptor
        var byteCount = 0
        var isBusy = false
        var isEnded = false
    }

    private struct State {
        var lastNumber = 0
        /// Keyed by numbers of our own, because the system reuses process IDs.
        var entries: [Int: Entry] = [:]
    }

    /// The limit in bytes; `nil` for no limit.
    let maxByteCount: Int?
    private let state = Guarded(State())

    init(maxByteCount: Int?) { self.maxByteCount = maxByteCount }

    /// The sum of the last measurements.
    var byteCount: Int { state.withLock { $0.entries.values.reduce(0) { $0 + $1.byteCount } } }

    /// Registers a worker.
    ///
    /// - Returns: The identifier of the worker here.
    func add(_ pidfd: Descriptor) -> Int {
        state.withLock { state in
            state.lastNumber += 1
            state.entries[state.lastNumber] = Entry(pidfd: pidfd)
            return state.lastNumber
        }
    }

    func remove(_ worker: Int) {
        // The descriptor is closed after the lock is released.
        let entry = state.withLock { $0.entries.removeValue(forKey: worker) }
        withExtendedLifetime(entry) {}
    }

    /// Marks a worker busy, before it gets the first byte of a job.
    ///
    /// - Returns: False if the worker is being terminated and must not get the job.
    func begin(_ worker: Int) -> Bool {
        state.withLock { state in
            guard state.entries[worker]?.isEnded == false else { return false }
            state.entries[worker]?.isBusy = true
            return true
        }
    }

    func conclude(_ worker: Int) { state.withLock { $0.entries[worker]?.isBusy = false } }

    /// True if the worker was terminated because all workers together used too much memory.
    func hasEnded(_ worker: Int) -> Bool { state.withLock { $0.entries[worker]?.isEnded ?? false } }

    /// Records the memory of a worker, and terminates workers if the sum exceeds the limit.
    func note(_ worker: Int, _ byteCount: Int) {
        let ended = state.withLock { state -> [Descriptor] in
            state.entries[worker]?.byteCount = byteCount
            return maxByteCount.map { Self.end(&state, above: $0) } ?? []
        }
        for pidfd in ended { calotype_sandbox_kill(pidfd.number) }
    }

    /// Selects workers to terminate until the sum of the others is within the limit.
    private static func end(_ state: inout State, above maxByteCount: Int) -> [Descriptor] {
        var sum = state.entries.values.reduce(0) { $0 + ($1.isEnded ? 0 : $1.byteCount) }
        guard sum > maxByteCount else { return [] }
        let order = state.entries.filter { !$0.value.isEnded }.sorted { left, right in
            left.value.isBusy == right.value.isBusy
                ? left.value.byteCount > right.value.byteCount : !left.value.isBusy
        }
        var ended: [Descriptor] = []
        for (worker, entry) in order where sum > maxByteCount {
            sum -= entry.byteCount
            state.entries[worker]?.isEnded = true
            ended.append(entry.pidfd)
        }
        return ended
    }
}
