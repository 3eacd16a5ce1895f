import CalotypeCore

/// A transform of Calotype, which a message can encode for another process.
protocol NamedTransform: ImageTransform, Codable {
    /// Returns whether a C library computes the pixels for an image of this size; true by default.
    func usesLibrary(for size: PixelSize) -> Bool
}

extension NamedTransform {
    /// True: libvips computes.
    func usesLibrary(for size: PixelSize) -> Bool { true }
}

/// A transform that finds a part of an image and crops to it.
protocol PartFinding: NamedTransform, FrameDependentTransform {
    /// Finds the part, within the image.
    ///
    /// - Throws: ``TransformError``.
    func part(of frame: Image) throws -> PixelRect
}

extension PartFinding {
    /// Returns the crop to the part.
    func resolved(for frame: Image) throws -> any ImageTransform {
        Crop(region: .rect(try part(of: frame)))
    }

    /// Crops to the part.
    ///
    /// - Throws: ``TransformError``.
    func apply(to image: Image) throws -> Image {
        try resolved(for: image).apply(to: image)
    }
}

/// A transform with an image of its own, which is decoded and scaled once for all frames of an animation.
protocol OverlayScaling: NamedTransform {
    /// Returns the transform with the pixels of its image.
    ///
    /// - Throws: The error of a deferred decode.
    func decoded() throws -> Self

    /// Returns the transform with the part of its image that is visible on an image of another size.
    func clipped(to room: PixelSize) throws -> any ImageTransform

    /// Returns the image and its size on an image of another size; `nil` if it need not be scaled.
    ///
    /// - Throws: ``TransformError`` with `limitExceeded` if it would be too large.
    func scaling(on room: PixelSize) throws -> (image: Image, size: PixelSize)?

    /// Returns the transform with the scaled image.
    func with(scaled image: Image) -> Self
}
