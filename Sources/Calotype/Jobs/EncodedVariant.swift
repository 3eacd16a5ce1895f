internal import CalotypeCore

/// The bytes of a variant, shared by concurrent requests.
struct EncodedVariant: Sendable {
    /// The bytes and their properties.
    var encoded: EncodedImage
    /// The image that was encoded, if that happened just now.
    var image: Image?
    /// The permission to cache the variant.
    var cacheability = Cacheability()

    /// The variant without the image, which may take a hundred times the memory of the bytes while they wait
    /// to be written.
    var withoutPixels: EncodedVariant {
        var variant = self
        variant.image = nil
        return variant
    }
}
