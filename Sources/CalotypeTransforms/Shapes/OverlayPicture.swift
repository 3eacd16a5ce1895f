import CalotypeCore
import CalotypeSupport
import FoundationEssentials

/// A picture to lay on others: equal to another where both have the same pixels.
struct OverlayPicture: Sendable {
    let image: Image

    /// SHA-256 of the size, the pixel format and the pixels, in hexadecimal digits.
    let digest: String

    /// Takes the first frame, and reads all of its pixels once.
    init(_ image: Image) {
        self.image = image.firstFrame
        var digest = MessageDigest.sha256()
        let head = "\(image.size.width)x\(image.size.height) \(image.pixelFormat.rawValue)\n"
        digest.update(head.utf8.span)
        image.pixels.withUnsafeBytes { digest.update($0) }
        self.digest = digest.finalize().hexadecimalDigits
    }
}

extension OverlayPicture: Hashable {
    static func == (left: OverlayPicture, right: OverlayPicture) -> Bool { left.digest == right.digest }

    func hash(into hasher: inout Hasher) {
        hasher.combine(digest)
    }
}
