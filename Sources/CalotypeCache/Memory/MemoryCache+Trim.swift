import CalotypeSupport

/// Less of what is held.
extension MemoryCache {
    /// Evicts entries until the sum of their costs is at most `cost`; the limits stay as they are.
    public func trim(toCost cost: Int) {
        trim(to: CacheLimits(cost: cost), cause: .trim)
    }

    /// Evicts entries until there are at most `count`; the limits stay as they are.
    public func trim(toCount count: Int) {
        trim(to: CacheLimits(cost: .max, count: count), cause: .trim)
    }

    /// Gives memory back: half of what is held at a warning, all of it when it is critical.
    ///
    /// Warnings that keep coming leave a sixteenth of the cost limit, where there is one: less would give
    /// next to nothing back and find next to nothing.
    ///
    /// Values that somebody holds are still found where the cache keeps evicted values weakly: only memory
    /// that nobody else uses is given back, so to forget them would cost and gain nothing.
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

    /// Evicts some entries at a time, so that nobody waits for long; what comes meanwhile does not keep it
    /// going.
    private func trim(to target: CacheLimits, cause: RemovalCause) {
        let portion = 1024
        for _ in 0...statistics.count / portion {
            if change({ $0.trim(to: target, countMax: portion, cause: cause) }) { return }
        }
    }
}
