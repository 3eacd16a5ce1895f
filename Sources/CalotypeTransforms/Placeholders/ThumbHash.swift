public import CalotypeCore
public import FoundationEssentials

/// A few waves of colour and alpha in some 20 bytes, to show until an image is there.
///
/// The bytes are those that other libraries read and write too. They tell the proportions of the image,
/// roughly, and its alpha; with the same number of bytes they tell more than a ``BlurHash`` does.
///
/// - SeeAlso: <https://evanw.github.io/thumbhash/>.
public struct ThumbHash: Sendable {
    /// The hash: 17 to 25 bytes.
    public let bytes: Data

    let content: ThumbHashContent

    /// More bytes than any hash has are not looked at.
    private static let byteCountMax = 25

    /// Reads a hash from its bytes as they came, of any number.
    ///
    /// - Returns: `nil` where the bytes are no hash: there are more or fewer than the first of them say, or
    ///   the proportions are none.
    public init?(_ bytes: Data) {
        guard bytes.count <= Self.byteCountMax, let content = ThumbHashContent([UInt8](bytes)) else {
            return nil
        }
        self.init(bytes: Data(bytes), content)
    }

    /// Reads a hash from its bytes in base 64 (RFC 4648, section 4), a text of any length.
    ///
    /// - Returns: `nil` where the text is not base 64, or its bytes are no hash.
    public init?(_ text: String) {
        guard text.utf8.count <= (Self.byteCountMax + 2) / 3 * 4, let bytes = Data(base64Encoded: text) else {
            return nil
        }
        self.init(bytes)
    }

    /// Makes the hash of an image, or of an animation's first frame.
    ///
    /// Blocks. The image is made no larger than 100 pixels a side first. What is transparent takes the
    /// average colour of the rest, in which pixels count by their alpha.
    ///
    /// - Parameter image: The image.
    /// - Throws: ``TransformError``, where there is no memory.
    public init(encoding image: Image) throws(TransformError) {
        let source = try PlaceholderSource(image) { Double($0) / 255 }
        let encoded = ThumbHashContent(source).bytes
        // What a hash tells is what its bytes say, not what they were made of.
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

    /// Width divided by height, roughly: the shorter side is one of 7 steps of the longer one, or one of 5
    /// where there is alpha.
    public var aspectRatio: Double { content.aspectRatio }

    /// The average colour, and the average alpha.
    public var averageColor: RGBAColor { content.averageColor }
}

extension ThumbHash: Hashable {
    /// Whether both have the same bytes.
    public static func == (left: ThumbHash, right: ThumbHash) -> Bool { left.bytes == right.bytes }

    /// Feeds the bytes.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(bytes)
    }
}

extension ThumbHash: CustomStringConvertible {
    /// The bytes in base 64.
    public var description: String { text }
}
