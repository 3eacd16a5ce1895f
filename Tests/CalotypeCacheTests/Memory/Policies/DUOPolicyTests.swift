import CalotypeTesting
import TestMaterial
import TestSupport
import Testing

@testable import CalotypeCache

@Suite(.blocking, .skipped(under: .thread, because: "computes on one thread")) struct DUOPolicyTests {
    @Test(arguments: 1...12) func `DUO agrees with its naive twin`(seed: UInt64) {
        var twins = PolicyTwins(
            DUOPolicy.self,
            NaiveDUO.self,
            limits: CacheLimits(cost: 200, count: seed.isMultiple(of: 2) ? .max : 15),
            slotCount: 60,
            maxCost: seed.isMultiple(of: 3) ? 60 : 20,
            seed: seed
        )
        twins.run(stepCount: 1_500)
    }

    private func hitCount(_ requests: [Int], policy: EvictionPolicyKind, capacity: Int) -> Int {
        let ratio = CacheTrace(requests: requests).hitRatios(capacity: capacity, policy: policy).object
        return Int((ratio * Double(requests.count)).rounded())
    }

    @Test func `scrolling down and back up has the hits of LRU`() {
        let sweep = Array(0..<200) + (0..<200).reversed()
        let requests = Array(repeatElement(sweep, count: 20).joined())
        let lru = hitCount(requests, policy: .lru, capacity: 100)
        #expect(hitCount(requests, policy: .s3fifo, capacity: 100) < lru / 2)
        #expect(hitCount(requests, policy: .duo, capacity: 100) * 100 > lru * 97)
    }

    @Test func `scans over a few favourites have the hits of S3-FIFO`() {
        let scans = (0..<400).flatMap { round in
            Array(0..<30) + (0..<80).map { 30 + round * 80 + $0 }
        }
        let s3fifo = hitCount(scans, policy: .s3fifo, capacity: 100)
        #expect(hitCount(scans, policy: .lru, capacity: 100) < s3fifo / 2)
        #expect(hitCount(scans, policy: .duo, capacity: 100) * 100 > s3fifo * 97)
    }

    /// With a limit of 128 entries and more, hits are recorded at the next insertion, which may drop the
    /// ghost entry of the inserted key.
    @Test func `an accepted value is present even if its ghost entry is dropped at that moment`() {
        let cache = MemoryCache<Int, Print>(costLimit: 140, policy: .duo, pressureSource: nil)
        var generator = SeededGenerator(seed: 1)
        for request in 0..<20_000 {
            let key = Int.random(in: 0..<168, using: &generator)
            guard cache[key] == nil else { continue }
            let insertion = cache.insert(Print(key), forKey: key, cost: 1)
            let isThere = cache.contains(key)
            #expect(insertion == .refused || isThere, "\(key) at request \(request)")
        }
        cache.checkInvariants()
    }

    @Test func `the leader changes with the traffic, and not for one chance hit`() {
        var duel = Duel()
        duel.count(lruHit: true, s3fifoHit: false, halfLife: 256)
        #expect(duel.leader == .undecided)
        for _ in 0..<10 { duel.count(lruHit: true, s3fifoHit: false, halfLife: 256) }
        #expect(duel.leader == .lru)
        for _ in 0..<12 { duel.count(lruHit: false, s3fifoHit: true, halfLife: 256) }
        #expect(duel.leader == .lru, "a lead as great as chance makes it leaves the leader")
        for _ in 0..<20 { duel.count(lruHit: false, s3fifoHit: true, halfLife: 256) }
        #expect(duel.leader == .s3fifo)
        for _ in 0..<10_000 { duel.count(lruHit: true, s3fifoHit: true, halfLife: 256) }
        #expect(duel.leader == .s3fifo)
    }
}

/// Two naive policies, and one array of the entries in the order of the last change of their rating.
struct NaiveDUO: EvictionPolicy {
    private struct Resident {
        let slot: Slot
        let cost: Int
        var opinion: Int
    }

    var limits: CacheLimits {
        didSet {
            lru.limits = limits
            s3fifo.limits = limits
        }
    }

    private var lru: NaiveLazyLRU
    private var s3fifo: NaiveS3FIFO
    private var duel = Duel()
    private var residents: [Resident] = []
    private var costs: [Slot: Int] = [:]

    init(limits: CacheLimits) {
        self.limits = limits
        lru = NaiveLazyLRU(limits: limits)
        s3fifo = NaiveS3FIFO(limits: limits)
    }

    var load: CacheLoad { CacheLoad(cost: cost { _ in true }, count: residents.count) }

    private func cost(where condition: (Resident) -> Bool) -> Int {
        residents.filter(condition).reduce(0) { $0 + $1.cost }
    }

    func holds(_ slot: Slot) -> Bool { residents.contains { $0.slot == slot } }

    func knows(_ slot: Slot) -> Bool { holds(slot) || lru.knows(slot) || s3fifo.knows(slot) }

    private func opinion(_ slot: Slot) -> Int { (lru.holds(slot) ? 1 : 0) + (s3fifo.holds(slot) ? 2 : 0) }

    /// With fewer than 128 entries nothing is deferred.
    mutating func hit(_ slot: Slot) -> Bool {
        _ = lru.hit(slot)
        _ = s3fifo.hit(slot)
        pending = opinion(slot) == 3 ? nil : slot
        return pending != nil
    }

    private var pending: Slot?

    mutating func settle(_ log: inout EvictionLog) {
        if let slot = pending { apply(slot, &log) }
        pending = nil
        var own = EvictionLog()
        lru.shrink(&own)
        follow(own, &log)
        own = EvictionLog()
        s3fifo.shrink(&own)
        follow(own, &log)
    }

    private mutating func apply(_ slot: Slot, _ log: inout EvictionLog) {
        let (lruHit, s3fifoHit) = (lru.holds(slot), s3fifo.holds(slot))
        let cost = costs[slot] ?? 0
        var own = EvictionLog()
        if !lruHit { _ = lru.insert(slot, cost: cost, &own) }
        follow(own, &log)
        own = EvictionLog()
        if !s3fifoHit { _ = s3fifo.insert(slot, cost: cost, &own) }
        follow(own, &log)
        update(slot)
        let halfLife = max(256, 8 * max(lru.load.count, s3fifo.load.count))
        duel.count(lruHit: lruHit, s3fifoHit: s3fifoHit, halfLife: halfLife)
    }

    private mutating func follow(_ own: EvictionLog, _ log: inout EvictionLog) {
        for slot in own.evicted { update(slot) }
        for slot in own.letGo where !knows(slot) { log.letGo.append(slot) }
    }

    private mutating func update(_ slot: Slot) {
        guard let index = residents.firstIndex(where: { $0.slot == slot }) else { return }
        guard residents[index].opinion != opinion(slot) else { return }
        var resident = residents.remove(at: index)
        resident.opinion = opinion(slot)
        residents.append(resident)
    }

    private var givers: [Int] {
        switch duel.leader {
        case .lru: [2]
        case .s3fifo: [1]
        case .undecided:
            cost { $0.opinion == 2 } * 4 > cost { $0.opinion == 1 || $0.opinion == 2 } ? [2, 1] : [1, 2]
        }
    }

    mutating func insert(_ slot: Slot, cost: Int, _ log: inout EvictionLog) -> Bool {
        settle(&log)
        residents.removeAll { $0.slot == slot }
        if costs[slot] != cost {
            lru.remove(slot)
            s3fifo.remove(slot)
        }
        costs[slot] = cost
        if lru.holds(slot) { _ = lru.hit(slot) }
        if s3fifo.holds(slot) { _ = s3fifo.hit(slot) }
        apply(slot, &log)
        let isDoubtful = duel.leader == .undecided && opinion(slot) == 1 && cost > limits.cost / 5
        let givers = isDoubtful ? [] : givers
        let staying = residents.filter { $0.opinion != 0 && !givers.contains($0.opinion) }
        if staying.reduce(cost, { $0 + $1.cost }) > limits.cost || staying.count + 1 > limits.count {
            return false
        }
        while load.cost + cost > limits.cost || load.count + 1 > limits.count { _ = evict(&log) }
        residents.append(Resident(slot: slot, cost: cost, opinion: opinion(slot)))
        return true
    }

    mutating func evict(_ log: inout EvictionLog) -> Bool {
        for opinion in [0] + givers + [1, 2, 3] {
            guard let index = residents.firstIndex(where: { $0.opinion == opinion }) else { continue }
            let slot = residents.remove(at: index).slot
            log.evicted.append(slot)
            if !knows(slot) { log.letGo.append(slot) }
            return true
        }
        return false
    }

    mutating func remove(_ slot: Slot) {
        residents.removeAll { $0.slot == slot }
        lru.remove(slot)
        s3fifo.remove(slot)
    }

    func checkInvariants() {}
}
