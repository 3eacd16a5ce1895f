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
        var entries: [Int32: Entry] = [:]
    }

    /// The most bytes; `nil` for no bound.
    let byteCountMax: Int?
    private let state = Guarded(State())

    init(byteCountMax: Int?) { self.byteCountMax = byteCountMax }

    /// The bytes that all hold, as they were last counted.
    var byteCount: Int { state.withLock { $0.entries.values.reduce(0) { $0 + $1.byteCount } } }

    func add(_ pid: Int32, _ pidfd: Descriptor) {
        state.withLock { $0.entries[pid] = Entry(pidfd: pidfd) }
    }

    func remove(_ pid: Int32) {
        // The descriptor is closed behind the lock.
        let entry = state.withLock { $0.entries.removeValue(forKey: pid) }
        withExtendedLifetime(entry) {}
    }

    /// Whether a worker was ended for the sake of the others.
    func hasEnded(_ pid: Int32) -> Bool { state.withLock { $0.entries[pid]?.isEnded ?? false } }

    /// Counts what a worker holds, and ends workers if all together hold too much.
    func note(_ pid: Int32, _ byteCount: Int, isBusy: Bool) {
        let ended = state.withLock { state -> [Descriptor] in
            state.entries[pid]?.byteCount = byteCount
            state.entries[pid]?.isBusy = isBusy
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
        for (pid, entry) in order where sum > byteCountMax {
            sum -= entry.byteCount
            state.entries[pid]?.isEnded = true
            ended.append(entry.pidfd)
        }
        return ended
    }
}
