import CalotypeSupport

/// A key that URLs are signed with, and the salt that goes before what is signed.
///
/// Its description shows neither.
public struct SigningKey: Hashable, Sendable, CustomStringConvertible {
    let key: [UInt8]
    let salt: [UInt8]

    /// Creates a key from its bytes.
    public init(key: [UInt8], salt: [UInt8] = []) {
        (self.key, self.salt) = (key, salt)
    }

    /// Creates a key from the UTF-8 of a text, as thumbor has it.
    public init(_ text: String) {
        self.init(key: Array(text.utf8))
    }

    /// Reads keys and salts as imgproxy's settings write them: hexadecimal digits, several with commas
    /// between them; the first salt belongs to the first key, and so on.
    ///
    /// - Returns: The keys; `nil` where a text is not so, or there are not as many salts as keys.
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

    /// `SigningKey`, and nothing of it.
    public var description: String { "SigningKey" }

    func code(of text: String, _ algorithm: MessageAuthentication.Algorithm) -> [UInt8] {
        guard let code = MessageAuthentication.code(of: salt + Array(text.utf8), key: key, algorithm) else {
            preconditionFailure("OpenSSL's libcrypto makes no HMAC: look at its configuration")
        }
        return code
    }
}

extension SigningKey: CustomReflectable {
    /// Nothing: what dumps a value shows no secret.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension RequestError {
    /// What is said of every signature that is wrong, whatever is wrong with it.
    static func badSignature(_ detail: String) -> RequestError {
        RequestError(.invalidSignature, detail: detail)
    }
}
