import CalotypeCore

/// A transform that chooses or moves pixels and mixes none, so that it can be done on a smaller decode of the
/// same picture.
protocol ScalableTransform: ImageTransform {
    /// The size of what becomes of an image of `size` pixels.
    ///
    /// - Throws: What applying it throws.
    func resultSize(of size: PixelSize) throws(TransformError) -> PixelSize

    /// What does the same with the picture at another size, as nearly as its pixels allow.
    ///
    /// - Parameters:
    ///   - size: Of the image that the transform was meant for.
    ///   - newSize: Of the same picture as it is instead.
    /// - Returns: The transform for that.
    /// - Throws: What applying it to an image of `size` pixels throws.
    func scaled(from size: PixelSize, to newSize: PixelSize) throws(TransformError) -> any ScalableTransform
}
