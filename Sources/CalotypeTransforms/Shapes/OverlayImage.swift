package import CalotypeCore
import CalotypeSupport
import FoundationEssentials

/// An overlay image: equal to another with the same digest.
package struct OverlayImage: Sendable {
    private enum Content {
        case decoded(Image)
        case deferred(@Sendable () throws -> Image)
    }

    private let content: Content

    package let size: PixelSize

    /// SHA-256 in hexadecimal digits of the size, the pixel format and the pixels; the given text for an
    /// image that is decoded later.
    package let digest: String

    /// The approximate bytes of pixels that exist only while a chain with the overlay is applied.
    package let deferredByteCount: Int

    /// Takes the first frame, and hashes all of its pixels once.
    package init(_ image: Image) {
        var digest = MessageDigest.sha256()
        let head = "\(image.size.width)x\(image.size.height) \(image.pixelFormat.rawValue)\n"
        digest.update(head.utf8.span)
        image.pixels.withUnsafeBytes { digest.update($0) }
        self.init(image, digest: digest.finalize().hexadecimalDigits)
    }

    private init(_ image: Image, digest: String) {
        (content, size, self.digest) = (.decoded(image.firstFrame), image.size, digest)
        deferredByteCount = 0
    }

    /// Creates an overlay that is decoded when a chain with it is applied, on the thread that applies it.
    ///
    /// - Parameters:
    ///   - size: The size of the image.
    ///   - digest: A text that no other pixels have.
    ///   - byteCount: The approximate bytes of pixels of the decode and its result.
    ///   - image: Decodes the image; its errors are those of the chain.
    package init(
        size: PixelSize,
        digest: String,
        byteCount: Int,
        _ image: @escaping @Sendable () throws -> Image
    ) {
        (content, self.size, self.digest) = (.deferred(image), size, digest)
        deferredByteCount = byteCount
    }

    /// The image; a deferred one is decoded at each access.
    package var image: Image {
        get throws {
            switch content {
            case .decoded(let image): image
            case .deferred(let image): try image()
            }
        }
    }

    /// Returns the overlay with its pixels.
    func decoded() throws -> OverlayImage {
        guard case .deferred(let image) = content else { return self }
        return OverlayImage(try image(), digest: digest)
    }

    /// Returns the overlay with its pixels scaled, or a part of them, without hashing them.
    ///
    /// - Parameters:
    ///   - image: The pixels.
    ///   - name: A text that distinguishes them from others of the overlay.
    /// - Returns: The overlay of these pixels.
    func replacing(_ image: Image, named name: String) -> OverlayImage {
        OverlayImage(image, digest: "\(digest) \(name)")
    }
}

extension OverlayImage: Hashable {
    package static func == (left: OverlayImage, right: OverlayImage) -> Bool { left.digest == right.digest }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(digest)
    }
}

extension OverlayImage: Codable {
    private enum Key: CodingKey {
        case width
        case height
        case format
        case pixels
        case digest
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        let size = PixelSize(
            width: try container.decode(Int.self, forKey: .width),
            height: try container.decode(Int.self, forKey: .height)
        )
        let name = try container.decode(String.self, forKey: .format)
        let bytes = try container.decode(Data.self, forKey: .pixels)
        guard let format = PixelFormat(rawValue: name),
            bytes.count == size.pixelCount * format.bytesPerPixel
        else {
            throw DecodingError.dataCorruptedError(
                forKey: .pixels,
                in: container,
                debugDescription: "the pixels do not match the overlay's format and size"
            )
        }
        let pixels = try unsafe PixelBuffer(byteCount: bytes.count) { target throws(TransformError) in
            _ = unsafe bytes.copyBytes(to: target)
        }
        self.init(
            Image(size: size, pixelFormat: format, pixels: pixels),
            digest: try container.decode(String.self, forKey: .digest)
        )
    }

    package func encode(to encoder: any Encoder) throws {
        let image = try image
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(image.size.width, forKey: .width)
        try container.encode(image.size.height, forKey: .height)
        try container.encode(image.pixelFormat.rawValue, forKey: .format)
        try container.encode(image.pixels.withUnsafeBytes { Data($0) }, forKey: .pixels)
        try container.encode(digest, forKey: .digest)
    }
}
