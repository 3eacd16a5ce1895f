import CalotypeCore
import Crypto
import FoundationEssentials

/// A picture to lay on others: equal to another where both have the same pixels.
struct OverlayPicture: Sendable {
    let image: Image

    /// SHA-256 of the size, the pixel format and the pixels, in hexadecimal digits.
    let digest: String

    /// Takes the first frame, and reads all of its pixels once.
    init(_ image: Image) {
        self.image = image.firstFrame
        var hasher = SHA256()
        let head = "\(image.size.width)x\(image.size.height) \(image.pixelFormat.rawValue)\n"
        hasher.update(data: Data(head.utf8))
        image.pixels.withUnsafeBytes { hasher.update(bufferPointer: $0) }
        digest = hasher.finalize().map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}

extension OverlayPicture: Hashable {
    static func == (left: OverlayPicture, right: OverlayPicture) -> Bool { left.digest == right.digest }

    func hash(into hasher: inout Hasher) {
        hasher.combine(digest)
    }
}
