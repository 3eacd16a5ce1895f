import CalotypeCodecs

/// An encoder that a message can contain; encoders of the program's own run in the program.
struct EncoderMessage: Codable {
    let encoder: any ImageEncoder & Codable

    private static let types: [any (ImageEncoder & Codable).Type] = [
        JPEGEncoder.self, PNGEncoder.self, WebPEncoder.self, AVIFEncoder.self, HEICEncoder.self,
        JPEGXLEncoder.self, TIFFEncoder.self, GIFEncoder.self, BMPEncoder.self, ICOEncoder.self,
    ]

    private enum Key: CodingKey {
        case type
        case settings
    }

    /// Returns `nil` for an encoder that a message cannot contain.
    init?(_ encoder: any ImageEncoder) {
        guard let encoder = encoder as? any ImageEncoder & Codable,
            Self.types.contains(where: { $0 == type(of: encoder) })
        else { return nil }
        self.encoder = encoder
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        let name = try container.decode(String.self, forKey: .type)
        guard let type = Self.types.first(where: { "\($0)" == name }) else {
            let detail = "unknown encoder"
            throw DecodingError.dataCorruptedError(forKey: .type, in: container, debugDescription: detail)
        }
        encoder = try type.init(from: container.superDecoder(forKey: .settings))
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode("\(type(of: self.encoder))", forKey: .type)
        try self.encoder.encode(to: container.superEncoder(forKey: .settings))
    }
}
