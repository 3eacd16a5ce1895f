internal import CalotypeSupport
internal import FoundationEssentials

/// The digest of a `data:` URL, made when it is first asked for, and once for all copies of a request.
final class InlineDigest: Hashable, Sendable {
    private let text = Guarded<String?>(nil)

    /// The digest of a URL, which must always be the same.
    func text(of url: URL) -> String {
        if let text = text.withLock(\.self) { return text }
        let digest = MessageDigest.sha256(url.absoluteString).prefix(16).hexadecimalDigits
        text.withLock { $0 = digest }
        return digest
    }

    /// It follows from the URL, which tells requests apart.
    static func == (left: InlineDigest, right: InlineDigest) -> Bool { true }

    /// Feeds nothing.
    func hash(into hasher: inout Hasher) {}
}
