import CalotypeSupport

/// How URLs of thumbor's grammar are signed: HMAC-SHA1 of what stands behind the signature.
public struct ThumborSignature: Hashable, Sendable {
    /// The keys, any of which may have signed; none for URLs that need no signature.
    public var keys: [SigningKey]

    /// Whether `unsafe` stands for a signature though there are keys; false unless set.
    public var allowsUnsafe: Bool

    /// Creates a way to sign.
    public init(keys: [SigningKey], allowsUnsafe: Bool = false) {
        (self.keys, self.allowsUnsafe) = (keys, allowsUnsafe)
    }

    /// Whether URLs need a signature.
    public var isRequired: Bool { !keys.isEmpty && !allowsUnsafe }

    /// The signature of a path by the first key; `nil` without keys.
    ///
    /// - Parameter path: All that is to stand behind the signature, without a leading `/`.
    /// - Returns: The text to put before it.
    public func signature(of path: String) -> String? {
        keys.first.map { Self.text(of: path, $0) }
    }

    /// Refuses a signature that no key gives.
    ///
    /// - Parameters:
    ///   - signature: The first segment of the path, percent-encoded.
    ///   - path: What stands behind it, without a leading `/`.
    /// - Throws: ``RequestError`` with `invalidSignature`.
    public func check(_ signature: some StringProtocol, of path: String) throws(RequestError) {
        if signature == "unsafe" {
            guard isRequired else { return }
            throw .badSignature("“unsafe” where URLs are signed")
        }
        // Without a key only “unsafe” can be right: what is no signature may be a part of the path.
        let isShort = signature.utf8.count <= Self.textByteCountMax
        let given = isShort ? Array((URLText.percentDecoded(signature) ?? "").utf8) : []
        var isGood = false
        for key in keys {
            let isEqual = MessageAuthentication.areEqual(Array(Self.text(of: path, key).utf8), given)
            isGood = isEqual || isGood
        }
        guard isGood else { throw .badSignature("no key gives the signature of \(path.quoted)") }
    }

    /// More than any signature in base64 has, with each byte escaped.
    private static let textByteCountMax = 128

    private static func text(of path: String, _ key: SigningKey) -> String {
        URLText.base64(key.code(of: path, .sha1), isPadded: true)
    }
}
