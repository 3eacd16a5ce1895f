internal import FoundationEssentials

extension Data {
    /// Copies bytes out of a buffer that may be larger.
    ///
    /// Above 1 MiB nothing is copied: the rest of such a buffer was never written and takes no memory.
    fileprivate mutating func makeExact() {
        guard count <= 1 << 20 else { return }
        self = unsafe withUnsafeBytes { bytes in
            unsafe bytes.baseAddress.map { unsafe Data(bytes: $0, count: bytes.count) } ?? Data()
        }
    }
}

/// An encoded image as the memory cache holds it.
final class EncodedBox: Sendable {
    let encoded: EncodedImage
    /// The hash of the content that it was made from, if it has to be known.
    let contentHash: UInt64?

    init(_ encoded: EncodedImage, contentHash: UInt64?) {
        var encoded = encoded
        encoded.data.makeExact()
        // These belong to the load that produced it; cached copies drop them.
        (encoded.storeFailure, encoded.url, encoded.isStale, encoded.isNew) = (nil, nil, false, false)
        (encoded.clock, encoded.transactions) = (nil, [])
        (self.encoded, self.contentHash) = (encoded, contentHash)
    }
}
