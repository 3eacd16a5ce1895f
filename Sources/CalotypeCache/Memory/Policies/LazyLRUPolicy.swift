/// Least recently used at the precision of an epoch: a hit is one store, and slots move when they come up for
/// eviction.
///
/// Time is counted in uses and divided into epochs, 128 for as many uses as there are slots. One queue is
/// sorted by the epoch in which a slot was placed; a hit records the current epoch beside it. The front is
/// evicted if it was not used since it was placed, otherwise it moves behind the slots of the epoch of its
/// last use. Only the last 1024 epochs are distinguished; retained slots were used within them.
struct LazyLRUPolicy: EvictionPolicy {
    private typealias Epoch = Int

    private static let epochCount = 1024
    private static let epochsPerTurnover = 128

    private struct Age: Sendable {
        /// The epoch of the last use.
        var used: Epoch = 0
        /// The epoch whose slots it is placed among.
        var placed: Epoch = 0
    }

    var limits: CacheLimits

    private var queues = SlotQueues(note: Age())
    /// The last slot of each epoch, by the epoch's remainder.
    private var lasts: [Slot?] = Array(repeating: nil, count: epochCount)
    private var now: Epoch = 0
    private var oldest: Epoch = 0
    private var usesInEpoch = 0

    init(limits: CacheLimits) {
        self.limits = limits
    }

    var load: CacheLoad { queues.load(of: 0) }

    func holds(_ slot: Slot) -> Bool {
        queues.queue(of: slot) != nil
    }

    mutating func hit(_ slot: Slot) -> Bool {
        countUse()
        queues[slot].used = now
        return false
    }

    mutating func insert(_ slot: Slot, cost: Int, _ log: inout EvictionLog) -> Bool {
        remove(slot)
        while !limits.admit(load.adding(cost: cost)), evict(&log) {}
        countUse()
        queues.makeReady(slot)
        queues[slot].used = now
        place(slot, cost: cost)
        return true
    }

    mutating func evict(_ log: inout EvictionLog) -> Bool {
        while let slot = queues.first(of: 0) {
            let cost = queues.cost(of: slot)
            let isCold = queues[slot].used <= epoch(of: slot)
            remove(slot)
            if isCold {
                log.evicted.append(slot)
                log.letGo.append(slot)
                return true
            }
            place(slot, cost: cost)
        }
        return false
    }

    mutating func remove(_ slot: Slot) {
        guard holds(slot) else { return }
        let epoch = epoch(of: slot)
        if lasts[epoch % Self.epochCount] == slot {
            let previous = queues.slot(before: slot).flatMap { self.epoch(of: $0) == epoch ? $0 : nil }
            lasts[epoch % Self.epochCount] = previous
        }
        queues.remove(slot)
    }

    /// Returns the epoch that a slot is placed in; the oldest one includes all before it.
    private func epoch(of slot: Slot) -> Epoch {
        max(queues[slot].placed, oldest)
    }

    /// Places a slot behind the slots of the epoch of its last use.
    private mutating func place(_ slot: Slot, cost: Int) {
        let epoch = max(queues[slot].used, oldest)
        queues[slot].placed = epoch
        let previous = slotBefore(endOf: epoch)
        queues.insert(slot, cost: cost, in: 0, after: previous)
        lasts[epoch % Self.epochCount] = slot
    }

    /// Returns the slot after which a slot of this epoch is placed: the last of the epoch, otherwise that of
    /// the one before.
    private func slotBefore(endOf epoch: Epoch) -> Slot? {
        guard let first = queues.first(of: 0), let last = queues.last(of: 0) else { return nil }
        if self.epoch(of: last) <= epoch { return last }
        if self.epoch(of: first) > epoch { return nil }
        var candidate = epoch
        while true {
            if let slot = lasts[candidate % Self.epochCount] { return slot }
            candidate -= 1
        }
    }

    private mutating func countUse() {
        usesInEpoch += 1
        guard usesInEpoch >= load.count / Self.epochsPerTurnover else { return }
        usesInEpoch = 0
        now += 1
        lasts[now % Self.epochCount] = nil
        if now - oldest == Self.epochCount - 1 { mergeOldestEpoch() }
    }

    private mutating func mergeOldestEpoch() {
        let last = lasts[oldest % Self.epochCount]
        lasts[oldest % Self.epochCount] = nil
        oldest += 1
        if lasts[oldest % Self.epochCount] == nil { lasts[oldest % Self.epochCount] = last }
    }

    func checkInvariants() {
        queues.checkInvariants()
        let slots = queues.slots(of: 0)
        let epochs = slots.map(epoch(of:))
        precondition(epochs == epochs.sorted(), "slots stand in the order of their epochs")
        let lastSlots = Dictionary(zip(epochs, slots)) { _, later in later }
        for (epoch, slot) in lastSlots {
            precondition(lasts[epoch % Self.epochCount] == slot, "the last slot of each epoch is known")
        }
        precondition(lasts.count { $0 != nil } == lastSlots.count, "an epoch without slots has no last one")
    }
}
