public import CalotypeCodecs
public import CalotypeCore

/// How the bytes of a variant are made: an encoder with its settings.
///
/// `ImageEncoding(WebPEncoder(quality: 80))`. Two are equal where their encoders make the same bytes.
public struct ImageEncoding: Hashable, Sendable {
    /// The encoder.
    public let encoder: any ImageEncoder

    /// Creates an encoding.
    public init(_ encoder: some ImageEncoder) {
        self.encoder = encoder
    }

    /// The format of the bytes.
    public var format: ImageFormat { encoder.format }

    /// Whether two make the same bytes of the same image.
    public static func == (left: ImageEncoding, right: ImageEncoding) -> Bool {
        left.encoder.cacheIdentity == right.encoder.cacheIdentity
    }

    /// Feeds what tells encodings apart.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(encoder.cacheIdentity)
    }
}
