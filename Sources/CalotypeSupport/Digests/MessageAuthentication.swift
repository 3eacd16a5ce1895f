import CDigest

/// Message authentication codes (HMAC, RFC 2104), computed by OpenSSL's libcrypto.
package enum MessageAuthentication {
    package enum Algorithm: Hashable, Sendable {
        /// 20 bytes; SHA-1 collisions do not weaken an HMAC (RFC 6194 §3.3).
        case sha1
        /// 32 bytes.
        case sha256

        /// The length of a code in bytes.
        package var byteCount: Int { self == .sha1 ? 20 : 32 }

        fileprivate var kind: calotype_digest_algorithm {
            self == .sha1 ? CALOTYPE_DIGEST_SHA1 : CALOTYPE_DIGEST_SHA256
        }
    }

    /// Computes the code of a message.
    ///
    /// - Returns: `nil` if this installation of OpenSSL lacks the algorithm.
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

    /// Compares two codes in a time that does not reveal where they differ.
    ///
    /// Their lengths are not secret.
    package static func areEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
        guard left.count == right.count else { return false }
        return unsafe calotype_is_equal(left, right, left.count)
    }
}
