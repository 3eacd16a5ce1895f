import CSandbox
import CalotypeSupport

/// The memory that all workers hold together, with a bound: above it workers are ended, those that wait for
/// jobs first, then the largest.
final class WorkersMemory: Sendable {
    private struct Entry {
        let pidfd: Descriptor
        var byteCount = 0
        var isBusy = false
        var isEnded = false
    }

    private struct State {
        var lastNumber = 0
        /// By numbers of their own: those of processes are used again.
        var entries: [Int: Entry] = [:]
    }

    /// The most bytes; `nil` for no bound.
    let byteCountMax: Int?
    private let state = Guarded(State())

    init(byteCountMax: Int?) { self.byteCountMax = byteCountMax }

    /// The bytes that all hold, as they were last counted.
    var byteCount: Int { state.withLock { $0.entries.values.reduce(0) { $0 + $1.byteCount } } }

    /// Counts a worker from now on.
    ///
    /// - Returns: The number of the worker here.
    func add(_ pidfd: Descriptor) -> Int {
        state.withLock { state in
            state.lastNumber += 1
            state.entries[state.lastNumber] = Entry(pidfd: pidfd)
            return state.lastNumber
        }
    }

    func remove(_ worker: Int) {
        // The descriptor is closed behind the lock.
        let entry = state.withLock { $0.entries.removeValue(forKey: worker) }
        withExtendedLifetime(entry) {}
    }

    /// Marks a worker busy, before it gets the first byte of a job.
    ///
    /// - Returns: Whether it may have the job: not if it is being ended for the sake of the others.
    func begin(_ worker: Int) -> Bool {
        state.withLock { state in
            guard state.entries[worker]?.isEnded == false else { return false }
            state.entries[worker]?.isBusy = true
            return true
        }
    }

    /// Marks a worker idle.
    func conclude(_ worker: Int) { state.withLock { $0.entries[worker]?.isBusy = false } }

    /// Whether a worker was ended for the sake of the others.
    func hasEnded(_ worker: Int) -> Bool { state.withLock { $0.entries[worker]?.isEnded ?? false } }

    /// Counts what a worker holds, and ends workers if all together hold too much.
    func note(_ worker: Int, _ byteCount: Int) {
        let ended = state.withLock { state -> [Descriptor] in
            state.entries[worker]?.byteCount = byteCount
            return byteCountMax.map { Self.end(&state, above: $0) } ?? []
        }
        for pidfd in ended { calotype_sandbox_kill(pidfd.number) }
    }

    /// Chooses workers until the others hold no more than they may.
    private static func end(_ state: inout State, above byteCountMax: Int) -> [Descriptor] {
        var sum = state.entries.values.reduce(0) { $0 + ($1.isEnded ? 0 : $1.byteCount) }
        guard sum > byteCountMax else { return [] }
        let order = state.entries.filter { !$0.value.isEnded }.sorted { left, right in
            left.value.isBusy == right.value.isBusy
                ? left.value.byteCount > right.value.byteCount : !left.value.isBusy
        }
        var ended: [Descriptor] = []
        for (worker, entry) in order where sum > byteCountMax {
            sum -= entry.byteCount
            state.entries[worker]?.isEnded = true
            ended.append(entry.pidfd)
        }
        return ended
    }
}
