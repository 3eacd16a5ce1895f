import CalotypeSupport

/// Signatures of imgproxy URLs: HMAC-SHA256 of the salt and the path.
public struct ImgproxySignature: Hashable, Sendable {
    /// The keys, of which any verifies; empty for unsigned URLs.
    public var keys: [SigningKey]

    /// The length of a signature in bytes, 1...32; 32 unless given.
    ///
    /// Immutable, so that the precondition holds: with 0 bytes every text would be valid.
    public let byteCount: Int

    /// Texts accepted verbatim as signatures; none unless set.
    public var trusted: Set<String>

    /// Creates the verification of signatures.
    ///
    /// - Precondition: `byteCount` is 1...32.
    public init(keys: [SigningKey], byteCount: Int = 32, trusted: Set<String> = []) {
        precondition((1...32).contains(byteCount), "a signature has 1 to 32 bytes")
        self.keys = keys
        self.byteCount = byteCount
        self.trusted = trusted
    }

    /// Whether URLs need a signature.
    public var isRequired: Bool { !keys.isEmpty }

    /// Returns the signature of a path by the first key, or `nil` without keys.
    ///
    /// - Parameter path: The path after the signature, with its leading `/`.
    /// - Returns: The signature.
    public func signature(of path: String) -> String? {
        keys.first.map { URLText.base64(code(of: path, $0), isPadded: false) }
    }

    /// Rejects a signature that no key produces; the work is the same for every invalid one.
    ///
    /// - Parameters:
    ///   - signature: The first segment of the path.
    ///   - path: The path after the signature, normalised.
    /// - Throws: ``RequestError`` with `invalidSignature`.
    package func check(_ signature: some StringProtocol, of path: String) throws(RequestError) {
        guard isRequired else {
            guard signature.contains(":") else { return }
            throw .badSignature("an option is in place of the signature; use “unsafe” for unsigned URLs")
        }
        let text = Array(signature.utf8)
        var isGood = false
        for word in trusted {
            let isEqual = MessageAuthentication.areEqual(Array(word.utf8), text)
            isGood = isEqual || isGood
        }
        // Longer ones are always invalid.
        let isShort = text.count <= Self.maxTextByteCount
        let given = isShort ? URLText.base64Decoded(signature, toleratesPadding: false) ?? [] : []
        for key in keys {
            // Every key is tried, so that the time does not reveal which one matched.
            let isEqual = MessageAuthentication.areEqual(code(of: path, key), given)
            isGood = isEqual || isGood
        }
        guard isGood else { throw .badSignature("the signature does not match \(path.quoted)") }
    }

    /// More characters than any base64 signature has.
    private static let maxTextByteCount = 64

    private func code(of path: String, _ key: SigningKey) -> [UInt8] {
        Array(key.code(of: path, .sha256).prefix(byteCount))
    }
}
