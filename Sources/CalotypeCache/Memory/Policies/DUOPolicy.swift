/// A policy that follows the better of LRU and S3-FIFO, which fail on different workloads.
///
/// 1. Both policies run in full on every key, as if each had the cache to itself, and track values that have
///    long been evicted. The slots actually held are in four queues, by which of the two would hold them.
/// 2. Slots that neither would hold are evicted first, then those that only the policy behind in the ``Duel``
///    would hold. So a change of leader flushes no slots: the contents drift toward the leader's as misses
///    happen. Before there is any evidence, three quarters of the disputed slots are LRU's choice.
/// 3. A hit that both agree on is a store for each. A disputed hit is also deferred, to be applied with
///    others: the policy that did not hold the slot inserts it, and the other one scores.
///
/// - SeeAlso: `Docs/decisions` for the measurements.
struct DUOPolicy: EvictionPolicy {
    private static let neither = 0
    private static let onlyLRU = 1
    private static let onlyS3FIFO = 2
    private static let both = 3

    private static let maxPendingCount = 32
    private static let residentsPerPending = 64
    private static let minHalfLife = 256

    var limits: CacheLimits {
        didSet {
            lru.limits = limits
            s3fifo.limits = limits
        }
    }

    private var lru: LazyLRUPolicy
    private var s3fifo: S3FIFOPolicy
    /// The slots held, and the cost at which the two policies know each slot.
    private var residents = SlotQueues(note: 0)
    private var duel = Duel()
    /// Slots whose hit one of the two would have missed, not yet applied.
    private var pending: [Slot] = []
    private var expertLog = EvictionLog()

    init(limits: CacheLimits) {
        self.limits = limits
        lru = LazyLRUPolicy(limits: limits)
        s3fifo = S3FIFOPolicy(limits: limits)
    }

    var load: CacheLoad { residents.load }

    func holds(_ slot: Slot) -> Bool {
        residents.queue(of: slot) != nil
    }

    func knows(_ slot: Slot) -> Bool {
        holds(slot) || lru.knows(slot) || s3fifo.knows(slot)
    }

    mutating func hit(_ slot: Slot) -> Bool {
        // For a policy that does not hold the slot, the store has no effect.
        _ = lru.hit(slot)
        _ = s3fifo.hit(slot)
        guard residents.queue(of: slot) != Self.both else { return false }
        pending.append(slot)
        return pending.count >= min(Self.maxPendingCount, load.count / Self.residentsPerPending)
    }

    mutating func settle(_ log: inout EvictionLog) {
        applyPending(&log)
        consult(&log) {
            $0.shrink(&$1)
        } s3fifo: {
            $0.shrink(&$1)
        }
    }

    mutating func insert(_ slot: Slot, cost: Int, _ log: inout EvictionLog) -> Bool {
        applyPending(&log)
        residents.remove(slot)
        residents.makeReady(slot)
        if residents[slot] != cost {
            lru.remove(slot)
            s3fifo.remove(slot)
            residents[slot] = cost
        }
        if lru.holds(slot) { _ = lru.hit(slot) }
        if s3fifo.holds(slot) { _ = s3fifo.hit(slot) }
        apply(slot, &log)
        guard mayAdmit(slot, cost: cost) else { return false }
        while !limits.admit(load.adding(cost: cost)), evict(&log) {}
        residents.append(slot, cost: cost, to: opinion(of: slot))
        return true
    }

    mutating func evict(_ log: inout EvictionLog) -> Bool {
        let (first, second) = dispensable
        guard
            let victim = residents.first(of: Self.neither) ?? residents.first(of: first)
                ?? residents.first(of: second) ?? residents.first(of: Self.both)
        else { return false }
        residents.remove(victim)
        log.evicted.append(victim)
        log.letGo.append(victim)
        return true
    }

    mutating func remove(_ slot: Slot) {
        residents.remove(slot)
        lru.remove(slot)
        s3fifo.remove(slot)
    }

    // MARK: Held slots

    /// Returns the queue of a slot: which policies would hold it.
    private func opinion(of slot: Slot) -> SlotQueues.Queue {
        (lru.holds(slot) ? Self.onlyLRU : 0) + (s3fifo.holds(slot) ? Self.onlyS3FIFO : 0)
    }

    /// The queues of disputed slots, in the order of their eviction.
    private var dispensable: (first: SlotQueues.Queue, second: SlotQueues.Queue) {
        let isLRUFirst =
            switch duel.leader {
            case .lru: false
            case .s3fifo: true
            case .undecided:
                residents.load(of: Self.onlyS3FIFO).cost * 3 <= residents.load(of: Self.onlyLRU).cost
            }
        return isLRUFirst ? (Self.onlyLRU, Self.onlyS3FIFO) : (Self.onlyS3FIFO, Self.onlyLRU)
    }

    /// Returns whether a slot may be admitted: if there is capacity, or the slots that may be evicted for it
    /// suffice.
    private func mayAdmit(_ slot: Slot, cost: Int) -> Bool {
        let opinion = opinion(of: slot)
        var staying = residents.load - residents.load(of: Self.neither)
        // A slot too large for S3-FIFO to admit at first sight must not evict much before there is evidence.
        let isLarge = cost > limits.share(percent: 20).cost
        let isDoubtful = duel.leader == .undecided && opinion == Self.onlyLRU && isLarge
        if opinion != Self.neither, !isDoubtful {
            let (first, second) = dispensable
            staying = staying - residents.load(of: first)
            // While neither leads, the slots of either alone can be evicted.
            if duel.leader == .undecided { staying = staying - residents.load(of: second) }
        }
        return limits.admit(staying.adding(cost: cost))
    }

    // MARK: The two policies

    private mutating func applyPending(_ log: inout EvictionLog) {
        guard !pending.isEmpty else { return }
        for slot in pending where holds(slot) { apply(slot, &log) }
        pending.removeAll(keepingCapacity: true)
    }

    /// Inserts a slot into the policy that does not hold it, and counts the use for the one that does.
    private mutating func apply(_ slot: Slot, _ log: inout EvictionLog) {
        let cost = residents[slot]
        let isInLRU = lru.holds(slot)
        let isInS3FIFO = s3fifo.holds(slot)
        consult(&log) {
            if !isInLRU { _ = $0.insert(slot, cost: cost, &$1) }
        } s3fifo: {
            if !isInS3FIFO { _ = $0.insert(slot, cost: cost, &$1) }
        }
        reclassify(slot)
        let halfLife = max(Self.minHalfLife, 8 * max(lru.load.count, s3fifo.load.count))
        duel.count(lruHit: isInLRU, s3fifoHit: isInS3FIFO, halfLife: halfLife)
    }

    /// Runs an action on each of the two policies, and applies their evictions.
    private mutating func consult(
        _ log: inout EvictionLog,
        lru actLRU: (inout LazyLRUPolicy, inout EvictionLog) -> Void,
        s3fifo actS3FIFO: (inout S3FIFOPolicy, inout EvictionLog) -> Void
    ) {
        actLRU(&lru, &expertLog)
        follow(&log)
        actS3FIFO(&s3fifo, &expertLog)
        follow(&log)
    }

    private mutating func follow(_ log: inout EvictionLog) {
        guard !expertLog.isEmpty else { return }
        for slot in expertLog.evicted { reclassify(slot) }
        log.letGo.append(contentsOf: expertLog.letGo)
        expertLog.removeAll()
    }

    private mutating func reclassify(_ slot: Slot) {
        guard let queue = residents.queue(of: slot) else { return }
        let opinion = opinion(of: slot)
        if opinion != queue { residents.move(slot, to: opinion) }
    }

    func checkInvariants() {
        residents.checkInvariants()
        lru.checkInvariants()
        s3fifo.checkInvariants()
        precondition(limits.admit(load), "what is held is within the limits")
        for queue in 0..<4 {
            let isInPlace = residents.slots(of: queue).allSatisfy { opinion(of: $0) == queue }
            precondition(isInPlace, "what is held stands where its judges put it")
        }
    }
}
