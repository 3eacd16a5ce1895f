/// How a memory cache chooses what leaves when it is full.
public enum EvictionPolicyKind: String, Hashable, Sendable, CaseIterable {
    /// Least recently used: simple and predictable; one pass over many images empties it of everything else.
    case lru

    /// What a cache uses where nothing is said.
    public static let `default` = lru
}

extension EvictionPolicyKind {
    /// A policy of this kind that holds nothing yet.
    func makePolicy(limits: CacheLimits) -> any EvictionPolicy {
        switch self {
        case .lru: LRUPolicy(limits: limits)
        }
    }
}
