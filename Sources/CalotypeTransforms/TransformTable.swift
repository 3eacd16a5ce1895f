package import FoundationEssentials

/// Encodes transforms as bytes, for another process of the same build.
package enum TransformTable {
    /// The transforms by their names in a message.
    private static let types: [String: any NamedTransform.Type] = {
        let types: [any NamedTransform.Type] = [
            Adjust.self, Blur.self, Border.self, BrightnessSaturation.self, Circle.self, Convolution.self,
            Crop.self, Duotone.self, EllipticCorners.self, Equalize.self, FilledPad.self, Flatten.self,
            Flip.self, Gradient.self, Grayscale.self, Invert.self, Monochrome.self, Noise.self, Overlay.self,
            Pad.self, Pixelate.self, PlacedOverlay.self, Resize.self, Rotation.self, RoundCorners.self,
            Sepia.self, Sharpen.self, SharpenLightness.self, SmartCrop.self, StandardColors.self, Tint.self,
            ToneCurves.self, Trim.self, Turn.self,
        ]
        return Dictionary(uniqueKeysWithValues: types.map { (name(of: $0), $0) })
    }()

    /// Encodes a message as a property list, in which the pixels of an overlay are raw bytes.
    ///
    /// - Throws: ``TransformError`` with `unsupportedFeature` for a transform that is not in the table, so
    ///   that it cannot leave the sandbox unnoticed; with `invalidParameter` for one that cannot be encoded.
    package static func encode(_ message: TransformMessage) throws(TransformError) -> Data {
        for name in message.steps.map({ name(of: type(of: $0)) }) where types[name] == nil {
            throw TransformError(
                .unsupportedFeature,
                detail: "\(name) is not in TransformTable.types, so no worker can compute it; add it there"
            )
        }
        let encoder = PropertyListEncoder()
        encoder.outputFormat = .binary
        do {
            return try encoder.encode(message.steps.map(Step.init))
        } catch {
            throw TransformError(.invalidParameter, detail: "the transform cannot be encoded: \(error)")
        }
    }

    /// Decodes a message of a program of the same build.
    ///
    /// - Throws: `DecodingError`.
    package static func decode(_ data: Data) throws -> TransformMessage {
        TransformMessage(steps: try PropertyListDecoder().decode([Step].self, from: data).map(\.transform))
    }

    private static func name(of type: any NamedTransform.Type) -> String { "\(type)" }

    /// A transform with its name.
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
            guard let type = TransformTable.types[name] else {
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
