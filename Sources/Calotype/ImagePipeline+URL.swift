internal import CalotypeCache
public import CalotypeCore
internal import CalotypeLoading
public import FoundationEssentials

/// The short forms for whoever wants nothing of a request but its URL.
extension ImagePipeline {
    /// The image behind a URL; ``image(for:priority:)`` with a request of defaults.
    ///
    /// - Throws: ``LoadError``, or `CancellationError`.
    public func image(for url: URL) async throws -> Image {
        try await image(for: ImageRequest(url: url))
    }

    /// The image behind a URL, with where it came from.
    ///
    /// - Throws: ``LoadError``, or `CancellationError`.
    public func load(_ url: URL) async throws -> LoadedImage {
        try await load(ImageRequest(url: url))
    }

    /// The original's bytes behind a URL.
    ///
    /// - Throws: ``LoadError``, or `CancellationError`.
    public func data(for url: URL) async throws -> EncodedImage {
        try await data(for: ImageRequest(url: url))
    }

    /// The events of a load from a URL: progress and previews while bytes arrive, then the result.
    public func events(for url: URL) -> ImageEvents {
        events(for: ImageRequest(url: url))
    }
}
