/// Whether what is cached follows what origins say about caching.
public enum HTTPCaching: Hashable, Sendable, CaseIterable {
    /// What is cached is served until it expires from the cache, whatever its origin said; the default.
    ///
    /// The same picture for as long as the cache keeps it, also offline: for URLs whose content never
    /// changes.
    case ignoresHTTP
    /// What is cached is served as RFC 9111 says for a private cache, validated when it is stale, and not
    /// kept where its origin forbids it.
    ///
    /// For URLs whose content changes. The expiry of the cache holds as well: whichever ends first.
    case respectsHTTP
}
