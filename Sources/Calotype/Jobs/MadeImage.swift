/// An image made from an original or a variant, before it is delivered.
struct MadeImage: Sendable {
    var loaded: LoadedImage
    /// The permission to cache the image.
    var cacheability: Cacheability
    /// The permits and the budget of the image while it is processed, if they are limited.
    var making: Making?
    /// The transfer whose bytes are still written, for a request that waits for the store.
    var storing: Transfer?
    /// The original that may replace a larger result, with its budget, which the receiver releases.
    var original: Original?
}
