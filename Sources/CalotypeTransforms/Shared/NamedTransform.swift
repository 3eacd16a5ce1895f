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
