/// How a memory cache chooses what leaves when it is full.
public enum EvictionPolicyKind: String, Hashable, Sendable, CaseIterable {
    /// Least recently used: simple and predictable; one pass over many images empties it of everything else.
    case lru
    /// Second chance: LRU's results or a little better, at a smaller cost per hit.
    case clock
    /// Three queues and credit for small entries: holds on to what comes back and lets passing scans pass;
    /// loses to LRU where a list is scrolled down and up again.
    case s3fifo
    /// Follows the better of LRU and S3-FIFO on the traffic at hand.
    case duo

    /// What a cache uses where nothing is said.
    public static let `default` = duo
}

extension EvictionPolicyKind {
    /// A policy of this kind that holds nothing yet.
    @usableFromInline
    func makePolicy(limits: CacheLimits) -> any EvictionPolicy {
        switch self {
        case .lru: LRUPolicy(limits: limits)
        case .clock: CLOCKPolicy(limits: limits)
        case .s3fifo: S3FIFOPolicy(limits: limits)
        case .duo: DUOPolicy(limits: limits)
        }
    }
}
