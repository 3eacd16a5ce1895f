internal import CalotypeCache
public import CalotypeCore
internal import CalotypeLoading
public import FoundationEssentials

/// Short forms for requests that are only a URL.
extension ImagePipeline {
    /// Returns the image behind a URL, for a request with defaults; see ``image(for:priority:)``.
    ///
    /// - Throws: ``LoadError``, or `CancellationError`.
    public func image(for url: URL) async throws -> Image {
        try await image(for: ImageRequest(url: url))
    }

    /// Loads the image behind a URL and returns it with its source.
    ///
    /// - Throws: ``LoadError``, or `CancellationError`.
    public func load(_ url: URL) async throws -> LoadedImage {
        try await load(ImageRequest(url: url))
    }

    /// Returns the original's bytes behind a URL.
    ///
    /// - Throws: ``LoadError``, or `CancellationError`.
    public func data(for url: URL) async throws -> EncodedImage {
        try await data(for: ImageRequest(url: url))
    }

    /// Returns the events of a load from a URL: progress and previews while bytes arrive, then the result.
    public func events(for url: URL) -> ImageEvents {
        events(for: ImageRequest(url: url))
    }
}
