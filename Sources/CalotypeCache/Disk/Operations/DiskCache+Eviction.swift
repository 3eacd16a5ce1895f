import CalotypeCore
import CalotypeSupport

/// Carrying out the evictions that ``DiskCacheState`` plans; all of it blocks.
extension DiskCache {
    /// Returns a portion of the entries to evict for this many bytes to remain, and whether a barrier
    /// prevents it.
    func planEviction(toByteCount byteCount: Int) -> (entries: [DiskIndexEntry], isHeldBack: Bool) {
        let order = nextUse()
        return state.withLock { state in
            let target = StoreUsage(entryCount: .max, byteCount: byteCount)
            return (state.planEviction(to: target, order: order), state.queue.isBarrierRunning)
        }
    }

    /// Removes entries whose turns have been reserved.
    ///
    /// An entry that another process has renewed meanwhile stays, and so does one that cannot be removed.
    /// Both are added to the index again so that they count; the latter moves to the end of the eviction
    /// order.
    ///
    /// - Returns: The removed entries, and the number of entries that no longer exist: others may have
    ///   removed some.
    @discardableResult
    func removeEvicted(_ entries: [DiskIndexEntry]) -> (removed: StoreUsage, goneCount: Int) {
        guard !entries.isEmpty else { return (StoreUsage(), 0) }
        let (removed, goneCount) = removeFiles(of: entries)
        state.withLock { $0.leavingCount -= entries.count }
        if removed.entryCount > 0 {
            front.withLock { $0.statistics.evictionCount += removed.entryCount }
        }
        // A task may be waiting for these files to be removed.
        maintain()
        return (removed, goneCount)
    }

    private func removeFiles(of entries: [DiskIndexEntry]) -> (removed: StoreUsage, goneCount: Int) {
        var removed = StoreUsage()
        var goneCount = 0
        for entry in entries {
            do {
                switch try remover.remove(entry.name, ifStill: entry.identity) {
                case .removed:
                    removed = removed + StoreUsage(entryCount: 1, byteCount: entry.byteCount)
                    goneCount += 1
                    state.withLock { $0.didEvict(entry, isOwn: true) }
                case .absent:
                    goneCount += 1
                    state.withLock { $0.didEvict(entry, isOwn: false) }
                case .replaced(let status): takeIn(entry.name, status)
                }
            } catch {
                front.withLock { $0.statistics.maintenanceFailureCount += 1 }
                let order = nextUse()
                state.withLock { $0.putBack(entry, behind: order) }
            }
            endReservedTurn(entry.name)
        }
        return (removed, goneCount)
    }
}
