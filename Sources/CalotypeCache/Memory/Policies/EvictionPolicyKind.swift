/// The eviction policy of a memory cache.
public enum EvictionPolicyKind: String, Hashable, Sendable, CaseIterable {
    /// Least recently used: simple and predictable; one pass over many images evicts all others.
    case lru
    /// Three queues and credit for small entries: retains recurring entries during scans; worse than LRU for
    /// a list that is scrolled down and up again.
    case s3fifo
    /// Follows the better of LRU and S3-FIFO on the current workload.
    case duo

    /// The default policy of a cache.
    public static let `default` = duo
}

extension EvictionPolicyKind {
    /// Returns an empty policy of this kind.
    @usableFromInline
    func makePolicy(limits: CacheLimits) -> any EvictionPolicy {
        switch self {
        case .lru: LRUPolicy(limits: limits)
        case .s3fifo: S3FIFOPolicy(limits: limits)
        case .duo: DUOPolicy(limits: limits)
        }
    }
}
