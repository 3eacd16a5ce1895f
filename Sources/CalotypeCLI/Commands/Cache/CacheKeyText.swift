import Calotype
import CalotypeCache
import CalotypeLoading

/// Turns what a person types for a key into the key that a store knows.
enum CacheKeyText {
    private static let schemes = ["http:", "https:", "file:", "data:"]

    /// The key for a text: for a URL the one that the pipeline derives, else the text itself.
    ///
    /// - Throws: ``Calotype/LoadError`` where a `file:` URL cannot be examined.
    static func key(for text: String) async throws -> String {
        guard isURL(text),
            let request = ImageRequest(addressOrPath: text)
        else {
            return text
        }
        let pipeline = ImagePipeline(.init(cache: ImageCache(), loader: RoutingLoader([:])))
        return try await pipeline.originalKey(for: request).rawValue
    }

    /// Whether a text is a URL, of which there may be variants.
    static func isURL(_ text: String) -> Bool { schemes.contains(where: text.lowercased().hasPrefix) }

    /// The key that an entry has: the text itself where there is one for it, as `list` prints keys, else
    /// ``key(for:)``.
    static func key(for text: String, in cache: DiskCache) async throws -> String {
        if try await cache.contains(text) { return text }
        return try await key(for: text)
    }
}
