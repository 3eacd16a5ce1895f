package import CalotypeCore
package import FoundationEssentials

/// Transforms encoded as bytes, for another process of the same build.
package struct TransformMessage {
    private static let types: [String: any NamedTransform.Type] = {
        let types: [any NamedTransform.Type] = [
            Adjust.self, Blur.self, Border.self, Circle.self, Crop.self, Flatten.self, Flip.self,
            Grayscale.self, Invert.self, Overlay.self, Pad.self, Resize.self, Rotation.self,
            RoundCorners.self, Sepia.self, Sharpen.self, SmartCrop.self, Tint.self, Trim.self, Turn.self,
        ]
        return Dictionary(uniqueKeysWithValues: types.map { (name(of: $0), $0) })
    }()

    let steps: [any NamedTransform]

    /// Creates a message of the leading steps that a message can encode; `nil` if the first is not one,
    /// or needs no library for an image of this size.
    init?(leading steps: some Sequence<any ImageTransform>, of size: PixelSize) {
        self.steps = steps.prefix { Self.named($0) != nil }.compactMap(Self.named)
        guard let first = self.steps.first, first.usesLibrary(for: size) else { return nil }
    }

    /// Rejects a transform of the library that a message cannot encode: it would leave the sandbox unnoticed.
    ///
    /// - Throws: ``TransformError`` with `unsupportedFeature`.
    static func checkListed(_ step: any ImageTransform) throws(TransformError) {
        guard let step = step as? any NamedTransform, named(step) == nil else { return }
        let name = name(of: type(of: step))
        throw TransformError(
            .unsupportedFeature,
            detail: "\(name) is not in TransformMessage.types, so that no worker can compute it; add it there"
        )
    }

    var count: Int { steps.count }

    /// Decodes the transforms of a program of the same build.
    ///
    /// - Throws: `DecodingError`.
    package init(data: Data) throws {
        steps = try PropertyListDecoder().decode([Step].self, from: data).map(\.transform)
    }

    /// Encodes the transforms as a property list, in which the pixels of an overlay are raw bytes.
    ///
    /// - Throws: `EncodingError`.
    package func encoded() throws -> Data {
        let encoder = PropertyListEncoder()
        encoder.outputFormat = .binary
        return try encoder.encode(steps.map(Step.init))
    }

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

    private static func named(_ step: any ImageTransform) -> (any NamedTransform)? {
        guard let step = step as? any NamedTransform, types[name(of: type(of: step))] != nil else {
            return nil
        }
        return step
    }

    private static func name(of type: any NamedTransform.Type) -> String { "\(type)" }

    private struct Step: Codable {
        let transform: any NamedTransform

        private enum Key: CodingKey {
            case name
            case properties
        }

        init(_ transform: any NamedTransform) { self.transform = transform }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: Key.self)
            let name = try container.decode(String.self, forKey: .name)
            guard let type = TransformMessage.types[name] else {
                throw DecodingError.dataCorruptedError(
                    forKey: .name,
                    in: container,
                    debugDescription: "unknown transform"
                )
            }
            transform = try type.init(from: container.superDecoder(forKey: .properties))
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Key.self)
            try container.encode(name(of: type(of: transform)), forKey: .name)
            try transform.encode(to: container.superEncoder(forKey: .properties))
        }
    }
}
