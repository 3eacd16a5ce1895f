/// The bytes that are held of a budget; pure (decision 0300).
struct ByteLedger: Sendable {
    /// The limits of a budget.
    struct Terms: Sendable {
        /// The most bytes that are held at once; a claim above it is served alone.
        var byteCountMax: Int
        /// The most of them for one origin.
        ///
        /// It never has more than half of what others leave either, so that there is room for one more
        /// (dynamic thresholds: Choudhury and Hahne, 1998). A claim that takes more exceeds the budget.
        var originByteCountMax = Int.max
        /// The most bytes of a small claim; no claim is small unless set.
        var smallByteCountMax = -1
        /// The bytes that large claims leave to small ones.
        var smallReserve = 0
    }

    /// A wish to hold so many bytes in all.
    struct Claim: Sendable {
        var byteCount: Int
        var origin = ""
    }

    private struct Holder: Sendable {
        var byteCount = 0
        var isSmall = true
        var isExceeding = false
    }

    /// Holders that may exceed the budget at once; one for each origin.
    private static let exceedingCountMax = 2

    let terms: Terms
    /// The bytes that are held.
    private(set) var heldByteCount = 0
    // Those below are without the holders that exceed the budget: these must not take the room of others.
    private var countedByteCount = 0
    private var smallByteCount = 0
    private var holders: [Int: Holder] = [:]
    private var originByteCounts: [String: Int] = [:]
    private var exceeding: [String: Int] = [:]

    init(_ terms: Terms) {
        self.terms = terms
    }

    /// Whether a number is that of a holder.
    func isHolder(_ number: Int) -> Bool { holders[number] != nil }

    /// The bytes that a holder has.
    func byteCount(of number: Int) -> Int { holders[number]?.byteCount ?? 0 }

    /// Whether a claim counts as small.
    func isSmall(_ claim: Claim) -> Bool { claim.byteCount <= terms.smallByteCountMax }

    /// Whether there is room for a claim.
    ///
    /// - Parameters:
    ///   - claim: The claim, with the bytes that are held already.
    ///   - number: The number of its holder.
    ///   - isAhead: Whether it goes ahead of a large claim that waits: then small ones have no more than
    ///     their reserve.
    /// - Returns: Whether it may be held now.
    func fits(_ claim: Claim, _ number: Int, aheadOfLarge isAhead: Bool = false) -> Bool {
        let own = holders[number] ?? Holder()
        if claim.byteCount <= own.byteCount || own.isExceeding { return true }
        let others = countedByteCount - own.byteCount
        let small = smallByteCount - (own.isSmall ? own.byteCount : 0)
        guard isWithinShare(claim, number) else { return false }
        let isWithinAll = others + claim.byteCount <= terms.byteCountMax
        if isSmall(claim) {
            return isWithinAll && (!isAhead || small + claim.byteCount <= terms.smallReserve)
        }
        let largeByteCountMax = terms.byteCountMax - terms.smallReserve
        if claim.byteCount > largeByteCountMax {
            return heldByteCount - own.byteCount == small && small <= terms.smallReserve
        }
        return isWithinAll && others - small + claim.byteCount <= largeByteCountMax
    }

    /// Whether the origin of a claim has room for it in its share.
    func isWithinShare(_ claim: Claim, _ number: Int) -> Bool {
        guard terms.originByteCountMax < .max else { return true }
        let own = holders[number]?.byteCount ?? 0
        let ofOrigin = originByteCounts[claim.origin, default: 0] - own
        let others = countedByteCount - own - ofOrigin
        let share = min(terms.originByteCountMax, (terms.byteCountMax - others) / 2)
        return ofOrigin + claim.byteCount <= share
    }

    /// Whether a claim for which there is no room may exceed the budget: one of a holder, or the first one of
    /// its origin where origins have shares.
    func mayExceed(_ claim: Claim, _ number: Int) -> Bool {
        guard exceeding[claim.origin] == nil, exceeding.count < Self.exceedingCountMax else { return false }
        let isFirst = terms.originByteCountMax < .max && originByteCounts[claim.origin] == nil
        return isHolder(number) || isFirst
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

    /// Gives a claim its bytes; a holder never has less than before.
    mutating func hold(_ claim: Claim, _ number: Int) {
        let own = holders[number]
        guard claim.byteCount > own?.byteCount ?? -1 else { return }
        var holder = own ?? Holder()
        if let own { remove(own, claim.origin) }
        holder.byteCount = claim.byteCount
        holder.isSmall = isSmall(claim)
        add(holder, claim.origin)
        holders[number] = holder
    }

    /// Takes everything back from a holder.
    mutating func end(_ number: Int, of origin: String) {
        guard let holder = holders.removeValue(forKey: number) else { return }
        remove(holder, origin)
        if exceeding[origin] == number { exceeding[origin] = nil }
    }

    private mutating func add(_ holder: Holder, _ origin: String) {
        heldByteCount += holder.byteCount
        guard !holder.isExceeding else { return }
        countedByteCount += holder.byteCount
        if holder.isSmall { smallByteCount += holder.byteCount }
        originByteCounts[origin, default: 0] += holder.byteCount
    }

    private mutating func remove(_ holder: Holder, _ origin: String) {
        heldByteCount -= holder.byteCount
        guard !holder.isExceeding else { return }
        countedByteCount -= holder.byteCount
        if holder.isSmall { smallByteCount -= holder.byteCount }
        let rest = originByteCounts[origin, default: 0] - holder.byteCount
        originByteCounts[origin] = rest == 0 ? nil : rest
    }
}
