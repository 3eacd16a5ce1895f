import CDigest

/// Codes that only who has a key can make of a message (HMAC, RFC 2104), by OpenSSL's libcrypto.
package enum MessageAuthentication {
    /// The digest in it.
    package enum Algorithm: Hashable, Sendable {
        /// 20 bytes; that two texts with one SHA-1 can be made does not help against an HMAC (RFC 6194 §3.3).
        case sha1
        /// 32 bytes.
        case sha256

        /// How long a code is.
        package var byteCount: Int { self == .sha1 ? 20 : 32 }

        fileprivate var kind: calotype_digest_algorithm {
            self == .sha1 ? CALOTYPE_DIGEST_SHA1 : CALOTYPE_DIGEST_SHA256
        }
    }

    /// The code of a message.
    ///
    /// - Returns: `nil` where this installation of OpenSSL does not have the algorithm.
    package static func code(of message: [UInt8], key: [UInt8], _ algorithm: Algorithm) -> [UInt8]? {
        var isMade = false
        let code = unsafe [UInt8](unsafeUninitializedCapacity: algorithm.byteCount) { value, count in
            isMade = unsafe calotype_hmac(
                algorithm.kind,
                key,
                key.count,
                message,
                message.count,
                value.baseAddress
            )
            count = isMade ? algorithm.byteCount : 0
        }
        return isMade ? code : nil
    }

    /// Whether two codes are equal, in a time that does not tell where they differ.
    ///
    /// Their numbers of bytes are no secret.
    package static func areEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
        guard left.count == right.count else { return false }
        return unsafe calotype_is_equal(left, right, left.count)
    }
}
