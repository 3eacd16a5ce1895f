package import CalotypeCore

/// A transform that depends on the size of the image: with a known size, it is a chain.
///
/// At the head of a chain it is planned together with the decode, so that an image is decoded at a small size
/// if the result is small.
package protocol SizedTransform: ImageTransform {
    /// Returns the chain for an image size.
    ///
    /// - Parameter size: The size of the input image; not empty.
    /// - Returns: The chain, without such transforms in it.
    /// - Throws: ``TransformError`` if this size has no result.
    func chain(for size: PixelSize) throws(TransformError) -> TransformChain

    /// Returns the chain for an image that may be a vector drawing, which can be rendered larger; by default
    /// that of ``chain(for:)``.
    func chain(for size: PixelSize, isDrawn: Bool) throws(TransformError) -> TransformChain
}

extension SizedTransform {
    package func chain(for size: PixelSize, isDrawn: Bool) throws(TransformError) -> TransformChain {
        try chain(for: size)
    }

    package func apply(to image: Image) throws -> Image {
        try validate()
        return try chain(for: image.size, isDrawn: image.format == .svg).apply(to: image)
    }
}

extension TransformChain {
    func resolvingFirst(for size: PixelSize, isDrawn: Bool) throws(TransformError) -> TransformChain {
        guard let first = steps.first as? any SizedTransform else { return self }
        return TransformChain(steps: try first.chain(for: size, isDrawn: isDrawn).steps + steps.dropFirst())
    }
}

extension TransformChain {
    /// Returns whether images of a size stay unchanged, pixel for pixel.
    ///
    /// True for an empty chain, and for layouts whose chain for this size is empty.
    package func changesNothing(of size: PixelSize) -> Bool {
        steps.allSatisfy { step in
            guard let sized = step as? any SizedTransform else { return false }
            do throws(TransformError) {
                return try sized.chain(for: size).isEmpty
            } catch {
                // The error is reported when the chain is applied.
                return false
            }
        }
    }
}
