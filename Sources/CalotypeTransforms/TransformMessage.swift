package import CalotypeCore

/// Transforms that another process of the same build can apply; ``TransformTable`` encodes them.
package struct TransformMessage {
    let steps: [any NamedTransform]
}

extension TransformMessage {
    /// Creates a message of the leading transforms of Calotype; `nil` if the first step is not one, or needs
    /// no library for an image of this size.
    init?(leading steps: some Sequence<any ImageTransform>, of size: PixelSize) {
        self.steps = steps.prefix { $0 is any NamedTransform }.compactMap { $0 as? any NamedTransform }
        guard let first = self.steps.first, first.usesLibrary(for: size) else { return nil }
    }

    /// The number of transforms.
    var count: Int { steps.count }

    /// Applies the transforms in process, one after another.
    ///
    /// - Throws: ``TransformError``.
    package func apply(to image: Image) throws -> Image {
        try steps.reduce(image) { try $1.apply(toAnyDepth: $0) }
    }

    /// Returns the part of an image that the first transform crops to; `nil` if it does not search for one.
    ///
    /// - Throws: ``TransformError``.
    package func part(of image: Image) throws -> PixelRect? {
        try (steps.first as? any PartFinding)?.part(of: image)
    }
}
