public import CalotypeCore
public import FoundationEssentials

/// A few waves of colour and alpha in about 20 bytes, to show while an image loads.
///
/// The bytes are compatible with other libraries. They contain the approximate proportions of the image and
/// its alpha, and more detail than a ``BlurHash`` of the same size.
///
/// - SeeAlso: <https://evanw.github.io/thumbhash/>.
public struct ThumbHash: Sendable {
    /// The hash: 17 to 25 bytes.
    public let bytes: Data

    let content: ThumbHashContent

    /// Longer input is rejected without parsing.
    private static let maxByteCount = 25

    /// Parses a hash from untrusted bytes of any number.
    ///
    /// - Returns: `nil` if the bytes are not a hash: their number does not match the first bytes, or the
    ///   proportions are invalid.
    public init?(_ bytes: Data) {
        guard bytes.count <= Self.maxByteCount, let content = ThumbHashContent([UInt8](bytes)) else {
            return nil
        }
        self.init(bytes: Data(bytes), content)
    }

    /// Parses a hash from base 64 (RFC 4648, section 4), a text of any length.
    ///
    /// - Returns: `nil` if the text is not base 64, or its bytes are not a hash.
    public init?(_ text: String) {
        guard text.utf8.count <= (Self.maxByteCount + 2) / 3 * 4, let bytes = Data(base64Encoded: text) else {
            return nil
        }
        self.init(bytes)
    }

    /// Computes the hash of an image, or of an animation's first frame.
    ///
    /// Blocks. The image is first reduced to at most 100 pixels a side. Transparent parts take the average
    /// colour of the rest, weighted by alpha.
    ///
    /// - Parameter image: The image.
    /// - Throws: ``TransformError``, for lack of memory.
    public init(encoding image: Image) throws(TransformError) {
        let source = try PlaceholderSource(image) { Double($0) / 255 }
        let encoded = ThumbHashContent(source).bytes
        // The properties are those of the encoded bytes, not of the input.
        guard let content = ThumbHashContent(encoded) else {
            preconditionFailure("the hash of \(source.size) pixels cannot be read back")
        }
        self.init(bytes: Data(encoded), content)
    }

    private init(bytes: Data, _ content: ThumbHashContent) {
        self.bytes = bytes
        self.content = content
    }

    /// The bytes in base 64: 24 to 36 characters.
    public var text: String { bytes.base64EncodedString() }

    /// The approximate width divided by height: the shorter side has 7 possible lengths relative to the
    /// longer one, or 5 with alpha.
    public var aspectRatio: Double { content.aspectRatio }

    /// The average colour, and the average alpha.
    public var averageColor: RGBAColor { content.averageColor }
}

extension ThumbHash: Hashable {
    /// Returns whether the bytes are equal.
    public static func == (left: ThumbHash, right: ThumbHash) -> Bool { left.bytes == right.bytes }

    /// Hashes the bytes.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(bytes)
    }
}

extension ThumbHash: CustomStringConvertible {
    /// The bytes in base 64.
    public var description: String { text }
}
