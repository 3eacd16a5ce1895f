internal import CalotypeSupport
internal import FoundationEssentials

extension Data {
    /// The XXH3 of the bytes: tells one content from another, but is no defence against a forger.
    var contentHash: UInt64 { withUnsafeBytes { xxh3($0) } }

    /// A digest for keys, which nobody can forge.
    var keyDigest: String {
        var digest = MessageDigest.sha256()
        withUnsafeBytes { digest.update($0) }
        return digest.finalize().prefix(16).hexadecimalDigits
    }
}
