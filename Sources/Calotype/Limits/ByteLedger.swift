/// The bytes that are held of a budget; pure (decision 0300).
struct ByteLedger: Sendable {
    /// The limits of a budget.
    struct Terms: Sendable {
        /// The most bytes that are held at once; a claim above it is served alone.
        var byteCountMax: Int
        /// The most of them for one origin, unless a single claim takes more.
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
    }

    /// Holders that may exceed the budget at once; one for each origin.
    private static let exceedingCountMax = 2

    let terms: Terms
    private(set) var heldByteCount = 0
    private var smallByteCount = 0
    private var holders: [Int: Holder] = [:]
    private var originByteCounts: [String: Int] = [:]
    private var exceeding: [String: Int] = [:]

    init(_ terms: Terms) {
        self.terms = terms
    }

    /// Whether a number is that of a holder.
    func isHolder(_ number: Int) -> Bool { holders[number] != nil }

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
        if claim.byteCount <= own.byteCount || exceeding[claim.origin] == number { return true }
        let others = heldByteCount - own.byteCount
        let small = smallByteCount - (own.isSmall ? own.byteCount : 0)
        guard isWithinShare(claim, number) else { return false }
        let isWithinAll = others + claim.byteCount <= terms.byteCountMax
        if isSmall(claim) {
            return isWithinAll && (!isAhead || small + claim.byteCount <= terms.smallReserve)
        }
        let largeByteCountMax = terms.byteCountMax - terms.smallReserve
        if claim.byteCount > largeByteCountMax { return others == small && small <= terms.smallReserve }
        return isWithinAll && others - small + claim.byteCount <= largeByteCountMax
    }

    /// Whether the origin of a claim has room for it in its share.
    func isWithinShare(_ claim: Claim, _ number: Int) -> Bool {
        let own = holders[number]?.byteCount ?? 0
        let ofOrigin = originByteCounts[claim.origin, default: 0] - own
        return ofOrigin == 0 || ofOrigin + claim.byteCount <= terms.originByteCountMax
    }

    /// Whether a holder for whose claim there is no room may exceed the budget.
    func mayExceed(_ claim: Claim, _ number: Int) -> Bool {
        isHolder(number) && exceeding[claim.origin] == nil && exceeding.count < Self.exceedingCountMax
    }

    /// Lets a holder exceed the budget until it ends.
    mutating func letExceed(_ claim: Claim, _ number: Int) {
        exceeding[claim.origin] = number
    }

    /// Gives a claim its bytes; a holder never has less than before.
    mutating func hold(_ claim: Claim, _ number: Int) {
        let own = holders[number]
        guard claim.byteCount > own?.byteCount ?? -1 else { return }
        let holder = Holder(byteCount: claim.byteCount, isSmall: isSmall(claim))
        add(holder, claim.origin)
        if let own { subtract(own, claim.origin) }
        holders[number] = holder
    }

    /// Takes everything back from a holder.
    mutating func end(_ number: Int, of origin: String) {
        guard let holder = holders.removeValue(forKey: number) else { return }
        subtract(holder, origin)
        if exceeding[origin] == number { exceeding[origin] = nil }
    }

    private mutating func add(_ holder: Holder, _ origin: String) {
        heldByteCount += holder.byteCount
        if holder.isSmall { smallByteCount += holder.byteCount }
        originByteCounts[origin, default: 0] += holder.byteCount
    }

    private mutating func subtract(_ holder: Holder, _ origin: String) {
        heldByteCount -= holder.byteCount
        if holder.isSmall { smallByteCount -= holder.byteCount }
        let rest = originByteCounts[origin, default: 0] - holder.byteCount
        originByteCounts[origin] = rest == 0 ? nil : rest
    }
}
