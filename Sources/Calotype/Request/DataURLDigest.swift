internal import CalotypeSupport
internal import FoundationEssentials

/// The digest of a `data:` URL, computed on first use, once for all copies of a request.
final class DataURLDigest: Hashable, Sendable {
    private let text = Guarded<String?>(nil)

    /// Returns the digest of a URL, which must be the same in each call.
    func text(of url: URL) -> String {
        if let text = text.withLock(\.self) { return text }
        let digest = MessageDigest.sha256(url.absoluteString).prefix(16).hexadecimalDigits
        text.withLock { $0 = digest }
        return digest
    }

    /// Always true: the digest follows from the URL, which distinguishes requests.
    static func == (left: DataURLDigest, right: DataURLDigest) -> Bool { true }

    func hash(into hasher: inout Hasher) {}
}
