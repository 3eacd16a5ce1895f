/// Least recently used: evicts the slot that has not been read for the longest time.
struct LRUPolicy: EvictionPolicy {
    var limits: CacheLimits

    /// One queue, the coldest slot first.
    private var queues = SlotQueues(note: ())

    init(limits: CacheLimits) {
        self.limits = limits
    }

    var load: CacheLoad { queues.load(of: 0) }

    func holds(_ slot: Slot) -> Bool {
        queues.queue(of: slot) != nil
    }

    mutating func hit(_ slot: Slot) -> Bool {
        queues.moveToEnd(slot)
        return false
    }

    mutating func insert(_ slot: Slot, cost: Int, _ log: inout EvictionLog) -> Bool {
        queues.remove(slot)
        while !limits.admit(load.adding(cost: cost)), evict(&log) {}
        queues.append(slot, cost: cost, to: 0)
        return true
    }

    mutating func evict(_ log: inout EvictionLog) -> Bool {
        guard let coldest = queues.first(of: 0) else { return false }
        queues.remove(coldest)
        log.evicted.append(coldest)
        log.letGo.append(coldest)
        return true
    }

    mutating func remove(_ slot: Slot) {
        queues.remove(slot)
    }

    func checkInvariants() {
        queues.checkInvariants()
        precondition(limits.admit(load), "what is held is within the limits")
    }
}
