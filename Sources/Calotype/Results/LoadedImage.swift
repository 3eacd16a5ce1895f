public import CalotypeCore
public import CalotypeLoading
public import FoundationEssentials

/// An image with its source.
public struct LoadedImage: Sendable {
    /// The source of an image.
    public enum Source: String, Hashable, CaseIterable, Sendable {
        /// The image was in memory.
        case memory
        /// The bytes were in a store.
        case disk
        /// The bytes came from another machine.
        case network
        /// The bytes were in a local file.
        case file
        /// The bytes were in the URL, or passed by the program.
        case data
    }

    /// The image.
    public var image: Image

    /// The source of the image.
    public var source: Source

    /// The URL of the response, after redirects, if the bytes were just received from the network or a file;
    /// `nil` otherwise.
    public var url: URL?

    /// True if HTTP calls the image stale: it is used during revalidation (`stale-while-revalidate`), or in
    /// place of a failed origin (`stale-if-error`).
    public var isStale = false

    /// True if the image is larger than requested: an image in memory that is used instead, as
    /// ``RequestOptions/acceptsLargerImage`` allows.
    public var isLarger = false

    /// The HTTP exchanges of the load, one per request; empty if the image was cached.
    public var transactions: [FetchTransaction] = []

    /// The error of writing to the store, if the request waited for the write.
    public var storeFailure: LoadError?

    /// Creates a result.
    public init(image: Image, source: Source, storeFailure: LoadError? = nil) {
        self.image = image
        self.source = source
        self.storeFailure = storeFailure
    }
}
