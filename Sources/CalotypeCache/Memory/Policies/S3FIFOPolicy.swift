/// Three queues in order of arrival: slots seen once are evicted soon, small ones have credit.
///
/// 1. New slots enter the *small* queue, a fifth of the limits. A slot not read there moves to the *ghost*
///    queue, where it is only known; one that was read moves to *main*. A slot that comes back while it is
///    known enters main at once. A slot larger than the whole small queue is not held at first sight, unless
///    there is capacity for it anyway.
/// 2. A hit stores the slot's *credit*, which is greater the smaller its cost is relative to the mean. The
///    front of main stays in exchange for one credit per turn. A slot with a credit of 3 or more moves from
///    small to main even if it was not read: it is so small that waiting for it costs nothing.
///
/// - SeeAlso: Yang et al., "FIFO queues are all you need for cache eviction", SOSP 2023, for the queues. The
///   credit is Calotype's; see `Docs/decisions`.
struct S3FIFOPolicy: EvictionPolicy {
    private static let small = 0
    private static let main = 1
    private static let ghost = 2

    private static let maxCredit: UInt8 = 6
    private static let creditOfPromotion: UInt8 = 3
    private static let minGhostCount = 1024

    private struct Credit: Sendable {
        /// The credit that a hit grants.
        var grant: UInt8 = 1
        /// The remainder of the last grant.
        var left: UInt8 = 0
    }

    var limits: CacheLimits {
        didSet { (smallShare, mainShare) = Self.shares(of: limits) }
    }

    private var smallShare: CacheLimits
    private var mainShare: CacheLimits
    private var queues = SlotQueues(note: Credit())

    init(limits: CacheLimits) {
        self.limits = limits
        (smallShare, mainShare) = Self.shares(of: limits)
    }

    private static func shares(of limits: CacheLimits) -> (small: CacheLimits, main: CacheLimits) {
        (limits.share(percent: 20), limits.share(percent: 80))
    }

    var load: CacheLoad { queues.load(of: Self.small) + queues.load(of: Self.main) }

    func holds(_ slot: Slot) -> Bool {
        guard let queue = queues.queue(of: slot) else { return false }
        return queue != Self.ghost
    }

    func knows(_ slot: Slot) -> Bool {
        queues.queue(of: slot) != nil
    }

    mutating func hit(_ slot: Slot) -> Bool {
        queues[slot].left = queues[slot].grant
        return false
    }

    mutating func insert(_ slot: Slot, cost: Int, _ log: inout EvictionLog) -> Bool {
        let isKnown = knows(slot)
        queues.remove(slot)
        queues.makeReady(slot)
        let isTooLargeForSmall = !smallShare.admit(CacheLoad(cost: cost, count: 1))
        if !isKnown, isTooLargeForSmall, !limits.admit(load.adding(cost: cost)) {
            rememberAsGhost(slot, cost: cost, &log)
            return false
        }
        queues[slot] = Credit(grant: credit(forCost: cost))
        while !limits.admit(load.adding(cost: cost)), evict(&log) {}
        queues.append(slot, cost: cost, to: isKnown ? Self.main : Self.small)
        forgetGhosts(&log)
        return true
    }

    mutating func evict(_ log: inout EvictionLog) -> Bool {
        guard load.count > 0 else { return false }
        if isMainOverShare || queues.first(of: Self.small) == nil {
            evictFromMain(&log)
        } else {
            evictFromSmall(&log)
        }
        return true
    }

    mutating func settle(_ log: inout EvictionLog) {
        forgetGhosts(&log)
    }

    mutating func remove(_ slot: Slot) {
        queues.remove(slot)
    }

    private var isMainOverShare: Bool { !mainShare.admit(queues.load(of: Self.main)) }

    /// 1 + ⌊log₂(mean cost / cost)⌋, within 1...6.
    private func credit(forCost cost: Int) -> UInt8 {
        guard load.count > 0 else { return 1 }
        let mean = load.cost / load.count
        var credit: UInt8 = 1
        while credit < Self.maxCredit, mean >> credit >= cost { credit += 1 }
        return credit
    }

    /// Moves slots from small to main until an unread one has been evicted, or none is left.
    private mutating func evictFromSmall(_ log: inout EvictionLog) {
        while let slot = queues.first(of: Self.small) {
            let credit = queues[slot]
            guard credit.left > 0 || credit.grant >= Self.creditOfPromotion else {
                let cost = queues.cost(of: slot)
                queues.remove(slot)
                log.evicted.append(slot)
                rememberAsGhost(slot, cost: cost, &log)
                return
            }
            queues[slot].left = credit.left > 0 ? credit.left - 1 : 0
            queues.move(slot, to: Self.main)
            while isMainOverShare, queues.load(of: Self.main).count > 1 { evictFromMain(&log) }
        }
    }

    private mutating func evictFromMain(_ log: inout EvictionLog) {
        while let slot = queues.first(of: Self.main) {
            guard queues[slot].left > 0 else {
                queues.remove(slot)
                log.evicted.append(slot)
                log.letGo.append(slot)
                return
            }
            queues[slot].left -= 1
            queues.moveToEnd(slot)
        }
    }

    private mutating func rememberAsGhost(_ slot: Slot, cost: Int, _ log: inout EvictionLog) {
        queues.append(slot, cost: cost, to: Self.ghost)
        forgetGhosts(&log)
    }

    /// Bounds the ghosts: their total cost is at most main's share, and they are not many more than the held
    /// slots.
    private mutating func forgetGhosts(_ log: inout EvictionLog) {
        while let oldest = queues.first(of: Self.ghost), !mayKeepGhosts {
            queues.remove(oldest)
            log.letGo.append(oldest)
        }
    }

    private var mayKeepGhosts: Bool {
        let ghosts = queues.load(of: Self.ghost)
        return mainShare.admit(ghosts) && ghosts.count <= max(Self.minGhostCount, 4 * load.count)
    }

    func checkInvariants() {
        queues.checkInvariants()
        precondition(limits.admit(load), "what is held is within the limits")
        precondition(mayKeepGhosts, "what is only known is bounded")
    }
}
