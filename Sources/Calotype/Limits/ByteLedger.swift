/// The bytes held within a budget; pure (decision 0300).
struct ByteLedger: Sendable {
    struct Terms: Sendable {
        /// The maximum bytes held at the same time; a larger claim is served alone.
        var maxByteCount: Int
        /// The maximum bytes of one origin.
        ///
        /// An origin also never gets more than half of what the others leave, so that there is budget for one
        /// more (dynamic thresholds: Choudhury and Hahne, 1998). A claim above the share exceeds the budget.
        var maxOriginByteCount = Int.max
        /// The maximum bytes of a small claim; no claim is small unless set.
        var maxSmallByteCount = -1
        /// The bytes that large claims leave to small ones.
        var smallReserve = 0
    }

    /// A claim to hold a number of bytes in total.
    struct Claim: Sendable {
        var byteCount: Int
        var origin = ""
    }

    private struct Holder: Sendable {
        var byteCount = 0
        var isSmall = true
        var isExceeding = false
        var isParked = false
    }

    /// The maximum number of holders that exceed the budget at the same time; one per origin.
    private static let maxExceedingCount = 2
    /// The maximum number of holders in addition that exceed the budget and have been parked.
    private static let maxParkedExceedingCount = 2

    let terms: Terms
    private(set) var heldByteCount = 0
    // The counts below exclude holders that exceed the budget: these must not use the budget of others.
    private var countedByteCount = 0
    private var smallByteCount = 0
    private var holders: [Int: Holder] = [:]
    private var originByteCounts: [String: Int] = [:]
    private var parkedByteCounts: [String: Int] = [:]
    private var exceeding: [String: Int] = [:]
    /// The holders that exceed the budget and have been parked since.
    private var parkedExceeding: Set<Int> = []

    init(_ terms: Terms) {
        self.terms = terms
    }

    /// True if the number is that of a holder.
    func isHolder(_ number: Int) -> Bool { holders[number] != nil }

    func byteCount(of number: Int) -> Int { holders[number]?.byteCount ?? 0 }

    /// True if the claim counts as small.
    func isSmall(_ claim: Claim) -> Bool { claim.byteCount <= terms.maxSmallByteCount }

    /// True if the budget has bytes for a claim.
    ///
    /// - Parameters:
    ///   - claim: The claim, with the bytes held already.
    ///   - number: The number of its holder.
    ///   - isAhead: True if it precedes a waiting large claim: small ones then get no more than their
    ///     reserve.
    /// - Returns: True if it may be held now.
    func fits(_ claim: Claim, _ number: Int, aheadOfLarge isAhead: Bool = false) -> Bool {
        let own = holders[number] ?? Holder()
        if claim.byteCount <= own.byteCount || own.isExceeding { return true }
        let others = countedByteCount - own.byteCount
        let small = smallByteCount - (own.isSmall ? own.byteCount : 0)
        guard isWithinShare(claim, number) else { return false }
        let isWithinAll = others + claim.byteCount <= terms.maxByteCount
        if isSmall(claim) {
            return isWithinAll && (!isAhead || small + claim.byteCount <= terms.smallReserve)
        }
        let maxLargeByteCount = terms.maxByteCount - terms.smallReserve
        if claim.byteCount > maxLargeByteCount {
            return heldByteCount - own.byteCount == small && small <= terms.smallReserve
        }
        return isWithinAll && others - small + claim.byteCount <= maxLargeByteCount
    }

    /// True if the share of the claim's origin has bytes for it.
    func isWithinShare(_ claim: Claim, _ number: Int) -> Bool {
        guard terms.maxOriginByteCount < .max else { return true }
        let own = holders[number]?.byteCount ?? 0
        let ofOrigin = originByteCounts[claim.origin, default: 0] - own
        let others = countedByteCount - own - ofOrigin
        let share = min(terms.maxOriginByteCount, (terms.maxByteCount - others) / 2)
        return ofOrigin + claim.byteCount <= share
    }

    /// True if a claim that does not fit may exceed the budget: a holder's, or the first one of its origin if
    /// origins have shares, apart from parked ones.
    func mayExceed(_ claim: Claim, _ number: Int) -> Bool {
        guard exceeding[claim.origin] == nil, exceeding.count < Self.maxExceedingCount else { return false }
        let (all, parked) = (originByteCounts[claim.origin] ?? 0, parkedByteCounts[claim.origin] ?? 0)
        return isHolder(number) || terms.maxOriginByteCount < .max && all == parked
    }

    /// Lets a claim exceed the budget until it ends.
    mutating func letExceed(_ claim: Claim, _ number: Int) {
        var holder = holders[number] ?? Holder()
        exceeding[claim.origin] = number
        remove(holder, claim.origin)
        holder.isExceeding = true
        add(holder, claim.origin)
        holders[number] = holder
    }

    /// Assigns a claim its bytes; a holder never has less than before, and is not parked any longer.
    mutating func hold(_ claim: Claim, _ number: Int) {
        let own = holders[number]
        guard claim.byteCount > own?.byteCount ?? -1 || own?.isParked == true else { return }
        var holder = own ?? Holder()
        if let own { remove(own, claim.origin) }
        holder.isParked = false
        if claim.byteCount >= holder.byteCount {
            (holder.byteCount, holder.isSmall) = (claim.byteCount, isSmall(claim))
        }
        add(holder, claim.origin)
        holders[number] = holder
    }

    /// Parks a holder, which waits for a permit that claims waiting for this budget may have.
    ///
    /// It keeps its bytes until its next claim is held, but the first waiting claim of its origin may exceed
    /// the budget meanwhile.
    ///
    /// - Returns: False if the holder must not wait, because it exceeds the budget like too many parked ones.
    mutating func park(_ number: Int, of origin: String) -> Bool {
        guard var holder = holders[number] else { return true }
        if exceeding[origin] == number {
            guard parkedExceeding.count < Self.maxParkedExceedingCount else { return false }
            parkedExceeding.insert(number)
            exceeding[origin] = nil
        }
        remove(holder, origin)
        holder.isParked = true
        add(holder, origin)
        holders[number] = holder
        return true
    }

    /// Releases all bytes of a holder.
    mutating func end(_ number: Int, of origin: String) {
        guard let holder = holders.removeValue(forKey: number) else { return }
        remove(holder, origin)
        if exceeding[origin] == number { exceeding[origin] = nil }
        parkedExceeding.remove(number)
    }

    private mutating func add(_ holder: Holder, _ origin: String) {
        heldByteCount += holder.byteCount
        guard !holder.isExceeding else { return }
        countedByteCount += holder.byteCount
        if holder.isSmall { smallByteCount += holder.byteCount }
        originByteCounts[origin, default: 0] += holder.byteCount
        if holder.isParked { parkedByteCounts[origin, default: 0] += holder.byteCount }
    }

    private mutating func remove(_ holder: Holder, _ origin: String) {
        heldByteCount -= holder.byteCount
        guard !holder.isExceeding else { return }
        countedByteCount -= holder.byteCount
        if holder.isSmall { smallByteCount -= holder.byteCount }
        let rest = originByteCounts[origin, default: 0] - holder.byteCount
        originByteCounts[origin] = rest == 0 ? nil : rest
        guard holder.isParked else { return }
        let parked = parkedByteCounts[origin, default: 0] - holder.byteCount
        parkedByteCounts[origin] = parked == 0 ? nil : parked
    }
}
