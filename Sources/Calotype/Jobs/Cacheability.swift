internal import CalotypeCache
internal import CalotypeCore

/// Whether something that was made of an original may be kept, and by what that is known.
struct Cacheability: Sendable {
    /// Whether it may be kept; not where HTTP forbids it and is respected.
    var isAllowed = true
    /// The content that it was made of, where anybody has to know.
    var contentHash: UInt64?
    /// That of the load that it comes from: nothing is kept where it has been revoked.
    var ticket: LoadTicket?
    /// When it stops being found in memory, where the request says so.
    var expiry: Expiry?
    /// What else it was made of: where that has left memory, the source may have other content by now.
    var intermediate: Intermediate?

    /// An image in memory that another is made of.
    struct Intermediate: Sendable {
        let key: ImageKey
        let image: Image

        init(_ key: ImageKey, _ image: Image) {
            (self.key, self.image) = (key, image)
        }
    }
}
