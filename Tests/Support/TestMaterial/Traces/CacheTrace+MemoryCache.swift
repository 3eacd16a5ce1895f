public import CalotypeCache

extension CacheTrace {
    /// Replays the trace through a memory cache: objects are inserted at their size after a miss.
    ///
    /// - Parameters:
    ///   - capacity: The cost limit.
    ///   - policy: The eviction policy.
    /// - Returns: The ratios over the whole trace, including the first requests.
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

private struct TraceKey: Hashable, Sendable {
    let number: Int
}

private final class TraceValue: Sendable {}
