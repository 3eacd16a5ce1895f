import CalotypeCore

/// A transform of Calotype's own: a message can tell another process what it is.
protocol NamedTransform: ImageTransform, Codable {
    /// Whether a library in C makes the pixels of an image of this size; true unless implemented.
    func usesLibrary(for size: PixelSize) -> Bool
}

extension NamedTransform {
    /// True: libvips computes.
    func usesLibrary(for size: PixelSize) -> Bool { true }
}

/// A transform that finds the part of a picture that it leaves.
protocol PartFinding: NamedTransform, FrameDependentTransform {
    /// The part, within the picture.
    ///
    /// - Throws: ``TransformError``.
    func part(of frame: Image) throws -> PixelRect
}

extension PartFinding {
    /// The crop to the part.
    func resolved(for frame: Image) throws -> any ImageTransform {
        Crop(region: .rect(try part(of: frame)))
    }

    /// Leaves the part.
    ///
    /// - Throws: ``TransformError``.
    func apply(to image: Image) throws -> Image {
        try resolved(for: image).apply(to: image)
    }
}
