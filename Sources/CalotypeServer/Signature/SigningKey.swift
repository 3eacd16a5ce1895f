import CalotypeSupport

/// A key for signing URLs, with the salt that is prepended to the signed text.
///
/// Its description shows neither of them.
public struct SigningKey: Hashable, Sendable, CustomStringConvertible {
    let key: [UInt8]
    let salt: [UInt8]

    /// Creates a key from its bytes.
    public init(key: [UInt8], salt: [UInt8] = []) {
        (self.key, self.salt) = (key, salt)
    }

    /// Creates a key from the UTF-8 of a text, as thumbor does.
    public init(_ text: String) {
        self.init(key: Array(text.utf8))
    }

    /// Parses keys and salts as in imgproxy's settings: hexadecimal digits, several separated by commas; the
    /// first salt belongs to the first key, and so on.
    ///
    /// - Returns: The keys, or `nil` if a text is invalid, or the numbers of keys and salts differ.
    public static func keys(hex keys: String, salts: String) -> [SigningKey]? {
        let keys = keys.split(separator: ",", omittingEmptySubsequences: false).map(String.bytes(hex:))
        let salts = salts.split(separator: ",", omittingEmptySubsequences: false).map(String.bytes(hex:))
        guard keys.count == salts.count else { return nil }
        let pairs = zip(keys, salts).compactMap { key, salt -> SigningKey? in
            guard let key, let salt, !key.isEmpty else { return nil }
            return SigningKey(key: key, salt: salt)
        }
        return pairs.count == keys.count ? pairs : nil
    }

    /// The name of the type only.
    public var description: String { "SigningKey" }

    /// Whether the key is a text; the comparison does not reveal where they differ.
    func isEqual(to text: some StringProtocol) -> Bool {
        MessageAuthentication.areEqual(key, Array(text.utf8))
    }

    func code(of text: String, _ algorithm: MessageAuthentication.Algorithm) -> [UInt8] {
        guard let code = MessageAuthentication.code(of: salt + Array(text.utf8), key: key, algorithm) else {
            preconditionFailure("OpenSSL's libcrypto cannot compute an HMAC; check its configuration")
        }
        return code
    }
}

extension SigningKey: CustomReflectable {
    /// An empty mirror, so that dumps of the value show no secret.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension RequestError {
    static func badSignature(_ detail: String) -> RequestError {
        RequestError(.invalidSignature, detail: detail)
    }
}
