import CalotypeCore

/// A transform of Calotype's own: a message can tell another process what it is.
protocol NamedTransform: ImageTransform, Codable {
    /// Whether a library in C computes the pixels; true unless set.
    var usesLibrary: Bool { get }
}

extension NamedTransform {
    /// True: libvips computes.
    var usesLibrary: Bool { true }
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
