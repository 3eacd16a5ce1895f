import CalotypeCore

/// A transform that selects or moves pixels without mixing them, so that it can be applied to a smaller
/// decode of the same image.
protocol ScalableTransform: SizeChanging {
    /// Returns the equivalent transform for the same image at another size, as exactly as its pixels allow.
    ///
    /// - Parameters:
    ///   - size: The image size that the transform was made for.
    ///   - newSize: The actual size of the same image.
    /// - Returns: The scaled transform.
    /// - Throws: The errors of applying it to an image of `size` pixels.
    func scaled(from size: PixelSize, to newSize: PixelSize) throws(TransformError) -> any ScalableTransform
}
