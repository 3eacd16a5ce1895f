/// The role of the origins' caching rules in the cache.
public enum HTTPCaching: Hashable, Sendable, CaseIterable {
    /// Cached images are served until they expire from the cache, regardless of their origin; the default.
    ///
    /// The cache serves the same image while it has it, even offline: for URLs whose content never changes.
    case ignoresHTTP
    /// Cached images are served as RFC 9111 specifies for a private cache: revalidated when stale, and not
    /// stored if the origin forbids it.
    ///
    /// For URLs whose content changes. The expiry of the cache applies too; the earlier end counts.
    case respectsHTTP
}
