import CDigest

/// A digest of bytes that arrive in chunks, computed by OpenSSL's libcrypto.
@safe
package struct MessageDigest: ~Copyable {
    package enum Algorithm {
        /// 32 bytes (FIPS 180-4).
        case sha256
        /// 16 bytes (RFC 1321), for names defined by others; not collision-resistant.
        case md5

        var byteCount: Int { self == .sha256 ? 32 : 16 }
    }

    private let algorithm: Algorithm
    private let context: OpaquePointer

    /// Starts a digest.
    ///
    /// - Returns: `nil` if this installation of OpenSSL lacks the algorithm, such as MD5 under FIPS 140.
    package init?(_ algorithm: Algorithm) {
        let kind = algorithm == .sha256 ? CALOTYPE_DIGEST_SHA256 : CALOTYPE_DIGEST_MD5
        guard let context = unsafe calotype_digest_begin(kind) else { return nil }
        self.algorithm = algorithm
        unsafe self.context = context
    }

    deinit {
        unsafe calotype_digest_free(context)
    }

    /// Appends the next bytes.
    package mutating func update(_ bytes: Span<UInt8>) {
        unsafe bytes.withUnsafeBytes { unsafe update($0) }
    }

    /// Appends the next bytes.
    package mutating func update(_ bytes: UnsafeRawBufferPointer) {
        let isAdded = unsafe calotype_digest_add(context, bytes.baseAddress, bytes.count)
        precondition(isAdded, "libcrypto computes a digest that it has begun")
    }

    /// Returns the digest of all bytes.
    package consuming func finalize() -> [UInt8] {
        unsafe [UInt8](unsafeUninitializedCapacity: algorithm.byteCount) { value, count in
            let isEnded = unsafe calotype_digest_end(context, value.baseAddress)
            precondition(isEnded, "libcrypto computes a digest that it has begun")
            count = algorithm.byteCount
        }
    }
}

extension MessageDigest {
    /// Starts a SHA-256 digest, which every installation of OpenSSL supports.
    package static func sha256() -> MessageDigest {
        guard let digest = MessageDigest(.sha256) else {
            preconditionFailure("OpenSSL's libcrypto lacks SHA-256; check its configuration")
        }
        return digest
    }

    /// The SHA-256 of a text's UTF-8 bytes.
    package static func sha256(_ text: String) -> [UInt8] {
        var digest = sha256()
        digest.update(text.utf8.span)
        return digest.finalize()
    }
}

extension [UInt8] {
    /// The bytes as two lower-case hexadecimal digits each.
    package var hexadecimalDigits: String { self[...].hexadecimalDigits }
}

extension ArraySlice<UInt8> {
    /// The bytes as two lower-case hexadecimal digits each.
    package var hexadecimalDigits: String {
        let digits = Array("0123456789abcdef".utf8)
        return unsafe String(unsafeUninitializedCapacity: 2 * count) { text in
            var length = 0
            for byte in self {
                unsafe text[length] = digits[Int(byte >> 4)]
                unsafe text[length + 1] = digits[Int(byte & 15)]
                length += 2
            }
            return length
        }
    }
}
