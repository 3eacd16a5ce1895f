import Calotype
import CalotypeCache
import CalotypeLoading

/// Conversion of typed keys to store keys.
enum CacheKeyText {
    private static let schemes = ["http:", "https:", "file:", "data:"]

    /// Returns the key for a text: for a URL the key that the pipeline derives, else the text itself.
    ///
    /// - Throws: ``Calotype/LoadError`` if a `file:` URL cannot be examined.
    static func key(for text: String) async throws -> String {
        guard isURL(text),
            let request = ImageRequest(addressOrPath: text)
        else {
            return text
        }
        let pipeline = ImagePipeline(.init(cache: ImageCache(), loader: RoutingLoader([:])))
        return try await pipeline.originalKey(for: request).rawValue
    }

    static func isURL(_ text: String) -> Bool { schemes.contains(where: text.lowercased().hasPrefix) }

    /// Returns the text itself if an entry has that key, as `list` prints keys, else ``key(for:)``.
    static func key(for text: String, in cache: DiskCache) async throws -> String {
        if try await cache.contains(text) { return text }
        return try await key(for: text)
    }
}
