import CalotypeCore

/// A transform whose result has a size that only depends on the size of the image.
protocol SizeChanging: ImageTransform {
    /// Returns the size of the result for an image of `size` pixels.
    ///
    /// - Throws: The errors of applying the transform.
    /// - Precondition: The properties are valid.
    func resultSize(of size: PixelSize) throws(TransformError) -> PixelSize
}
