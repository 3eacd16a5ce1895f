internal import CalotypeCache
internal import CalotypeCore

/// The permission to cache a value made from an original, with the facts that it depends on.
struct Cacheability: Sendable {
    /// True if the value may be cached; false if HTTP forbids it and is respected.
    var isAllowed = true
    /// The hash of the content that the value was made from, if it has to be known.
    var contentHash: UInt64?
    /// The ticket of the load: if it was revoked, the value is not cached.
    var ticket: LoadTicket?
    /// The expiry in memory, if the request sets one.
    var expiry: Expiry?
    /// The intermediate image that the value was made from.
    ///
    /// If it has left memory, the source may have other content.
    var intermediate: Intermediate?

    /// An image in memory that another one is made from.
    struct Intermediate: Sendable {
        let key: ImageKey
        let image: Image

        init(_ key: ImageKey, _ image: Image) {
            (self.key, self.image) = (key, image)
        }
    }
}
