public import CalotypeCore
public import CalotypeLoading
public import FoundationEssentials

/// An image with where it came from.
public struct LoadedImage: Sendable {
    /// Where an image came from.
    public enum Source: String, Hashable, CaseIterable, Sendable {
        /// It was in memory.
        case memory
        /// Its bytes were in a store.
        case disk
        /// Its bytes came from another machine.
        case network
        /// Its bytes were in a local file.
        case file
        /// Its bytes were in the URL.
        case data
    }

    /// The image.
    public var image: Image

    /// Where it came from.
    public var source: Source

    /// The URL that answered, after redirects, where the bytes have just come from another machine, or from a
    /// file; `nil` otherwise.
    public var url: URL?

    /// Whether HTTP calls it stale: it is used while the origin is asked (`stale-while-revalidate`), or in
    /// place of an origin that fails (`stale-if-error`).
    public var isStale = false

    /// Whether it is larger than what was asked for: an image in memory that stands in for it, as
    /// ``RequestOptions/acceptsLarger`` allows.
    public var isLarger = false

    /// What its load took over the network, each request for itself; empty where the image was in a cache.
    public var transactions: [FetchTransaction] = []

    /// Why it could not be kept, where the request waited for that and it failed.
    public var storeFailure: LoadError?

    /// The place and the room that the image takes while something is made of it, where they are limited.
    var making: Making?

    /// Creates a result.
    public init(image: Image, source: Source, storeFailure: LoadError? = nil) {
        self.image = image
        self.source = source
        self.storeFailure = storeFailure
    }
}
