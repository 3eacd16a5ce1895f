import CalotypeSupport

/// Signatures of thumbor URLs: HMAC-SHA1 of the path after the signature.
public struct ThumborSignature: Hashable, Sendable {
    /// The keys, of which any verifies; empty for unsigned URLs.
    public var keys: [SigningKey]

    /// Whether `unsafe` is accepted as a signature even with keys; false unless set.
    public var allowsUnsafe: Bool

    /// Creates the verification of signatures.
    public init(keys: [SigningKey], allowsUnsafe: Bool = false) {
        (self.keys, self.allowsUnsafe) = (keys, allowsUnsafe)
    }

    /// Whether URLs need a signature.
    public var isRequired: Bool { !keys.isEmpty && !allowsUnsafe }

    /// Returns the signature of a path by the first key, or `nil` without keys.
    ///
    /// - Parameter path: The path after the signature, without a leading `/`.
    /// - Returns: The signature.
    public func signature(of path: String) -> String? {
        keys.first.map { Self.text(of: path, $0) }
    }

    /// Rejects a signature that no key produces.
    ///
    /// - Parameters:
    ///   - signature: The first segment of the path, percent-encoded.
    ///   - path: The path after the signature, without a leading `/`.
    /// - Throws: ``RequestError`` with `invalidSignature`.
    package func check(_ signature: some StringProtocol, of path: String) throws(RequestError) {
        if signature == "unsafe" {
            guard isRequired else { return }
            throw .badSignature("“unsafe” is not accepted, since URLs need a signature")
        }
        // Without a key only “unsafe” is valid: any other segment may be part of the path.
        let isShort = signature.utf8.count <= Self.maxTextByteCount
        let given = isShort ? Array((URLText.percentDecoded(signature) ?? "").utf8) : []
        var isGood = false
        for key in keys {
            let isEqual = MessageAuthentication.areEqual(Array(Self.text(of: path, key).utf8), given)
            isGood = isEqual || isGood
        }
        guard isGood else { throw .badSignature("the signature does not match \(path.quoted)") }
    }

    /// More characters than any base64 signature has, with each one escaped.
    private static let maxTextByteCount = 128

    private static func text(of path: String, _ key: SigningKey) -> String {
        URLText.base64(key.code(of: path, .sha1), isPadded: true)
    }
}
