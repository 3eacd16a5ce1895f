/// Second chance: a queue in order of arrival; slots read since their last turn go to its end again.
///
/// A hit is one store. The hand of the clock is the front of the queue.
struct CLOCKPolicy: EvictionPolicy {
    var limits: CacheLimits

    /// One queue; the note is true if the slot was read since its last turn.
    private var queues = SlotQueues(note: false)

    init(limits: CacheLimits) {
        self.limits = limits
    }

    var load: CacheLoad { queues.load(of: 0) }

    func holds(_ slot: Slot) -> Bool {
        queues.queue(of: slot) != nil
    }

    mutating func hit(_ slot: Slot) -> Bool {
        queues[slot] = true
        return false
    }

    mutating func insert(_ slot: Slot, cost: Int, _ log: inout EvictionLog) -> Bool {
        queues.remove(slot)
        while !limits.admit(load.adding(cost: cost)), evict(&log) {}
        queues.append(slot, cost: cost, to: 0)
        queues[slot] = false
        return true
    }

    mutating func evict(_ log: inout EvictionLog) -> Bool {
        while let slot = queues.first(of: 0) {
            guard queues[slot] else {
                queues.remove(slot)
                log.evicted.append(slot)
                log.letGo.append(slot)
                return true
            }
            queues[slot] = false
            queues.moveToEnd(slot)
        }
        return false
    }

    mutating func remove(_ slot: Slot) {
        queues.remove(slot)
    }

    func checkInvariants() {
        queues.checkInvariants()
        precondition(limits.admit(load), "what is held is within the limits")
    }
}
