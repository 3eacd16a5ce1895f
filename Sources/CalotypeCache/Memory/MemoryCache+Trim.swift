import CalotypeSupport

extension MemoryCache {
    /// Evicts entries until their total cost is at most `cost`; the limits are unchanged.
    public func trim(toCost cost: Int) {
        trim(to: CacheLimits(cost: cost), cause: .trim)
    }

    /// Evicts entries until at most `count` remain; the limits are unchanged.
    public func trim(toCount count: Int) {
        trim(to: CacheLimits(cost: .max, count: count), cause: .trim)
    }

    /// Releases memory: half of the held cost at a warning, all of it when pressure is critical.
    ///
    /// Repeated warnings leave a sixteenth of the cost limit, if there is one: less would free hardly any
    /// memory and serve hardly any hits.
    ///
    /// If the cache tracks evicted values weakly, values still in use elsewhere are found again: only memory
    /// without other users is freed, so forgetting such values would cost hits and gain no memory.
    public func relieve(_ pressure: MemoryPressure) {
        switch pressure {
        case .warning:
            let limit = costLimit
            let floor = limit == .max ? 0 : limit / 16
            trim(to: CacheLimits(cost: max(statistics.cost / 2, floor)), cause: .memoryPressure)
        case .critical:
            trim(to: CacheLimits(cost: 0), cause: .memoryPressure)
            report(change { $0.purge(cause: .memoryPressure) })
        }
    }

    /// Evicts entries in portions, so that no thread waits long; entries inserted meanwhile do not prolong
    /// it.
    private func trim(to target: CacheLimits, cause: RemovalCause) {
        let portion = 1024
        for _ in 0...statistics.count / portion {
            if change({ $0.trim(to: target, maxCount: portion, cause: cause) }) { return }
        }
    }
}
