import CalotypeSupport

/// How URLs of imgproxy's grammar are signed: HMAC-SHA256 of the salt and the path.
public struct ImgproxySignature: Hashable, Sendable {
    /// The keys, any of which may have signed; none for URLs that need no signature.
    public var keys: [SigningKey]

    /// How many bytes of the code are the signature, 1...32; 32 unless given.
    ///
    /// Constant, since of no bytes every text would be the signature.
    public let byteCount: Int

    /// Texts that are taken for a signature as they stand; none unless set.
    public var trusted: Set<String>

    /// Creates a way to sign.
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

    /// The signature of a path by the first key; `nil` without keys.
    ///
    /// - Parameter path: All that is to stand behind the signature, with its leading `/`.
    /// - Returns: The text to put before it.
    public func signature(of path: String) -> String? {
        keys.first.map { URLText.base64(code(of: path, $0), isPadded: false) }
    }

    /// Refuses a signature that no key gives, after the same work for each that is wrong.
    ///
    /// - Parameters:
    ///   - signature: The first segment of the path.
    ///   - path: What stands behind it, normalised.
    /// - Throws: ``RequestError`` with `invalidSignature`.
    public func check(_ signature: some StringProtocol, of path: String) throws(RequestError) {
        guard isRequired else {
            guard signature.contains(":") else { return }
            throw .badSignature("an option stands where the signature should; without one, write “unsafe”")
        }
        let text = Array(signature.utf8)
        var isGood = false
        for word in trusted {
            let isEqual = MessageAuthentication.areEqual(Array(word.utf8), text)
            isGood = isEqual || isGood
        }
        // Longer ones are wrong, whatever they say.
        let isShort = text.count <= Self.textByteCountMax
        let given = isShort ? URLText.base64Decoded(signature, toleratesPadding: false) ?? [] : []
        for key in keys {
            // Every key is tried, so that the time tells nothing of which it was.
            let isEqual = MessageAuthentication.areEqual(code(of: path, key), given)
            isGood = isEqual || isGood
        }
        guard isGood else { throw .badSignature("no key gives the signature of \(path.quoted)") }
    }

    /// More than any signature in base64 has.
    private static let textByteCountMax = 64

    private func code(of path: String, _ key: SigningKey) -> [UInt8] {
        Array(key.code(of: path, .sha256).prefix(byteCount))
    }
}
