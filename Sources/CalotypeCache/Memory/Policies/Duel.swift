/// A comparison of two policies by the hits that only one of them would have had recently.
///
/// Only uses that one of them would have missed count. Old ones fade. A lead counts once it exceeds what
/// chance alone makes likely, and then persists until the other has such a lead.
struct Duel: Sendable {
    enum Leader: Sendable {
        case undecided
        case lru
        case s3fifo
    }

    private(set) var leader = Leader.undecided
    private var lruScore = 0.0
    private var s3fifoScore = 0.0

    /// Counts a use; after `halfLife` further uses it counts half.
    mutating func count(lruHit: Bool, s3fifoHit: Bool, halfLife: Int) {
        if lruHit, !s3fifoHit { lruScore += 1 }
        if s3fifoHit, !lruHit { s3fifoScore += 1 }
        // 1 - ln 2 / h is 2^(-1/h) to five digits for the half-lives that occur.
        let decay = 1 - 0.693_147 / Double(halfLife)
        lruScore *= decay
        s3fifoScore *= decay
        let chance = (lruScore + s3fifoScore).squareRoot() + 1
        if lruScore - s3fifoScore > chance { leader = .lru }
        if s3fifoScore - lruScore > chance { leader = .s3fifo }
    }
}
