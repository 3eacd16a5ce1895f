package import CalotypeCore
import CalotypeSupport
import FoundationEssentials

/// An overlay image: equal to another with the same pixels.
package struct OverlayImage: Sendable {
    package let image: Image

    /// SHA-256 of the size, the pixel format and the pixels, in hexadecimal digits.
    package let digest: String

    /// Takes the first frame, and hashes all of its pixels once.
    package init(_ image: Image) {
        self.image = image.firstFrame
        var digest = MessageDigest.sha256()
        let head = "\(image.size.width)x\(image.size.height) \(image.pixelFormat.rawValue)\n"
        digest.update(head.utf8.span)
        image.pixels.withUnsafeBytes { digest.update($0) }
        self.digest = digest.finalize().hexadecimalDigits
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
        image = Image(size: size, pixelFormat: format, pixels: pixels)
        digest = try container.decode(String.self, forKey: .digest)
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(image.size.width, forKey: .width)
        try container.encode(image.size.height, forKey: .height)
        try container.encode(image.pixelFormat.rawValue, forKey: .format)
        try container.encode(image.pixels.withUnsafeBytes { Data($0) }, forKey: .pixels)
        try container.encode(digest, forKey: .digest)
    }
}
