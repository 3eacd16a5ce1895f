import CalotypeSupport

/// The key of an image in a cache: text, with its hash prepared once.
///
/// Keys are equal where their bytes of UTF-8 are, as in the byte stores: `é` as one character and as a letter
/// with an accent are two keys, though Swift takes them for one text.
///
/// A program makes its own from a string; a pipeline derives them from requests: the *source* says where the
/// bytes come from, the *variant* what was made of them.
public struct ImageKey: Hashable, Sendable {
    /// The whole key; what a byte store is asked with.
    public let rawValue: String

    /// The hash of the bytes; its lowest bit says whether they are more than ASCII.
    @usableFromInline let hash: Int

    /// Creates a key from its text.
    @inlinable
    public init(_ rawValue: String) {
        self.rawValue = rawValue
        hash = rawValue.byteHash
    }

    /// Creates the key of a variant of a source.
    ///
    /// What is added follows a `#`, where a URL has its fragment, so that the source's file name stays
    /// readable: a fragment is never part of where bytes come from.
    ///
    /// - Parameters:
    ///   - source: Where the bytes come from.
    ///   - variant: What was made of them; empty for the original itself.
    public init(source: String, variant: String) {
        let separator = variant.isEmpty ? "" : source.contains("#") ? "," : "#"
        self.init(source + separator + variant)
    }

    /// The address of what the key is of: the URL without its fragment, and without what was made of it.
    ///
    /// Of an original with header fields, of its variants, and of a version of a local file it is the same
    /// address. That of a `data:` URL is a digest, as its key is.
    public var sourceAddress: String {
        rawValue.firstIndex(of: "#").map { String(rawValue[..<$0]) } ?? rawValue
    }

    /// Whether it is the key of something that was made of an original.
    public var isVariant: Bool {
        guard let start = rawValue.firstIndex(of: "#") else { return false }
        let rest = rawValue[rawValue.index(after: start)...]
        return rest.hasPrefix("headers=") ? rest.contains(",") : !rest.isEmpty
    }

    /// About the bytes that an entry of a memory cache takes beside its value.
    ///
    /// The key, its places in the cache's tables, and the objects around the value; measured
    /// (`MemoryLimitTests`).
    package var entryByteCount: Int { rawValue.utf8.count + 1_024 }

    /// Whether two keys have the same bytes.
    @inlinable
    public static func == (left: ImageKey, right: ImageKey) -> Bool {
        // Only texts of more than ASCII can be equal without having the same bytes.
        left.hash == right.hash && left.rawValue == right.rawValue
            && (left.hash & 1 == 0 || left.rawValue.hasSameBytes(as: right.rawValue))
    }

    /// The prepared hash, which the memory cache uses as it is.
    @inlinable public var hashValue: Int { hash }

    /// Feeds the prepared hash.
    @inlinable
    public func hash(into hasher: inout Hasher) {
        hasher.combine(hash)
    }
}

extension String {
    /// A hash of the bytes of UTF-8, another one in each process, with a bit for bytes beyond ASCII.
    @usableFromInline
    var byteHash: Int {
        var text = self
        return text.withUTF8 { bytes in
            var hasher = Hasher()
            unsafe hasher.combine(bytes: UnsafeRawBufferPointer(bytes))
            let isASCII = unsafe bytes.allSatisfy { $0 < 0x80 }
            return hasher.finalize() << 1 | (isASCII ? 0 : 1)
        }
    }

    /// Whether two texts have the same bytes of UTF-8, which says more than that Unicode takes them for the
    /// same.
    @usableFromInline
    func hasSameBytes(as other: String) -> Bool {
        var (left, right) = (self, other)
        return left.withUTF8 { left in
            right.withUTF8 { right in
                guard left.count == right.count else { return false }
                guard let start = left.baseAddress, let otherStart = right.baseAddress else { return true }
                return unsafe memcmp(start, otherStart, left.count) == 0
            }
        }
    }
}

extension ImageKey: ExpressibleByStringInterpolation, CustomStringConvertible {
    /// Creates a key from a literal, which may have interpolations: `"photo/\(id)"`.
    public init(stringLiteral value: String) {
        self.init(value)
    }

    /// The text of the key.
    public var description: String { rawValue }
}
