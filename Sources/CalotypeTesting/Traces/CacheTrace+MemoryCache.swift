public import CalotypeCache

extension CacheTrace {
    /// Plays the trace through a memory cache: what is not found is inserted at its size.
    ///
    /// - Parameters:
    ///   - capacity: The cost limit.
    ///   - policy: How the cache chooses what leaves.
    /// - Returns: The ratios over the whole trace, the first requests included.
    public func hitRatios(capacity: Int, policy: EvictionPolicyKind) -> HitRatios {
        let cache = MemoryCache<TraceKey, TraceValue>(
            costLimit: capacity,
            policy: policy,
            keepsEvictedWeakly: false,
            pressureSource: nil
        )
        let value = TraceValue()
        var (hits, hitBytes, bytes) = (0, 0, 0)
        for key in requests {
            bytes += sizes[key]
            if cache[TraceKey(number: key)] != nil {
                hits += 1
                hitBytes += sizes[key]
            } else {
                cache.insert(value, forKey: TraceKey(number: key), cost: sizes[key])
            }
        }
        return HitRatios(
            object: Double(hits) / Double(max(1, requests.count)),
            byte: Double(hitBytes) / Double(max(1, bytes))
        )
    }
}

/// The number of an object in a trace.
private struct TraceKey: Hashable, Sendable {
    let number: Int
}

/// Stands for every object.
private final class TraceValue: Sendable {}
