internal import CalotypeSupport
internal import FoundationEssentials

extension Data {
    /// The XXH3 hash of the bytes; not resistant to forgery.
    var contentHash: UInt64 { withUnsafeBytes { xxh3($0) } }

    /// A digest for keys, resistant to forgery.
    var keyDigest: String {
        var digest = MessageDigest.sha256()
        withUnsafeBytes { digest.update($0) }
        return digest.finalize().prefix(16).hexadecimalDigits
    }
}
