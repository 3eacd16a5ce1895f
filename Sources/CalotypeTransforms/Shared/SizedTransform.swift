package import CalotypeCore

/// A transform that the size of the picture decides: what it does is a chain, once that is known.
///
/// At the head of a chain it is planned with the decode, so that a picture which becomes small is decoded
/// small.
package protocol SizedTransform: ImageTransform {
    /// The chain for an image of a size.
    ///
    /// - Parameter size: Of the image that it is applied to; not empty.
    /// - Returns: The chain, without such transforms in it.
    /// - Throws: ``TransformError`` where there is no result for this size.
    func chain(for size: PixelSize) throws(TransformError) -> TransformChain

    /// The chain for an image of a size that may be a drawing, which has no pixels of its own and is as good
    /// larger; that of ``chain(for:)`` unless implemented.
    func chain(for size: PixelSize, isDrawn: Bool) throws(TransformError) -> TransformChain
}

extension SizedTransform {
    /// The chain for the size alone.
    package func chain(for size: PixelSize, isDrawn: Bool) throws(TransformError) -> TransformChain {
        try chain(for: size)
    }

    /// Applies the chain for the image's size.
    package func apply(to image: Image) throws -> Image {
        try validate()
        return try chain(for: image.size, isDrawn: image.format == .svg).apply(to: image)
    }
}

extension TransformChain {
    /// The chain with the one for a size in place of a first step that is decided by it.
    func resolvingFirst(for size: PixelSize, isDrawn: Bool) throws(TransformError) -> TransformChain {
        guard let first = steps.first as? any SizedTransform else { return self }
        return TransformChain(steps: try first.chain(for: size, isDrawn: isDrawn).steps + steps.dropFirst())
    }
}
