import CalotypeSupport

/// The key of an image in a cache: text with a precomputed hash.
///
/// Keys are equal if their UTF-8 bytes are, as in the byte stores: `é` as one scalar and as a letter with a
/// combining accent are different keys, although Swift considers the strings equal.
///
/// A program creates keys from strings; a pipeline derives them from requests: the *source* identifies where
/// the bytes come from, the *variant* how they were processed.
public struct ImageKey: Hashable, Sendable {
    /// The text of the whole key, as passed to byte stores.
    public let rawValue: String

    /// The hash of the bytes; its lowest bit is set if they contain non-ASCII bytes.
    @usableFromInline let hash: Int

    /// Creates a key from its text.
    @inlinable
    public init(_ rawValue: String) {
        self.rawValue = rawValue
        hash = rawValue.byteHash
    }

    /// Creates the key of a variant of a source.
    ///
    /// The variant follows a `#`, like a URL's fragment, so that the source's file name stays readable: a
    /// fragment is never part of the address that bytes come from.
    ///
    /// - Parameters:
    ///   - source: The source of the bytes.
    ///   - variant: The processing applied to them; empty for the original itself.
    public init(source: String, variant: String) {
        let separator = variant.isEmpty ? "" : source.utf8.contains(Self.numberSign) ? "," : "#"
        self.init(source + separator + variant)
    }

    /// The address of the source: the URL without its fragment, and without the variant.
    ///
    /// It is the same for an original with header fields, its variants, and any version of a local file. For
    /// a `data:` URL it is a digest, as in the key.
    public var sourceAddress: String {
        rawValue.utf8.firstIndex(of: Self.numberSign).map { String(rawValue[..<$0]) } ?? rawValue
    }

    /// Whether it is the key of a variant of an original.
    public var isVariant: Bool {
        guard let start = rawValue.utf8.firstIndex(of: Self.numberSign) else { return false }
        let rest = rawValue[rawValue.utf8.index(after: start)...]
        return rest.hasPrefix("headers=") ? rest.contains(",") : !rest.isEmpty
    }

    // Compared as bytes: comparing characters takes longer than hashing the key.
    private static let numberSign = UInt8(ascii: "#")

    /// The approximate number of bytes that an entry of a memory cache takes beside its value.
    ///
    /// It covers the key, the slots in the cache's tables, and the objects around the value; measured by
    /// `MemoryLimitTests`.
    package var entryByteCount: Int { rawValue.utf8.count + 1_024 }

    /// Returns whether two keys have the same bytes.
    @inlinable
    public static func == (left: ImageKey, right: ImageKey) -> Bool {
        // Only non-ASCII strings can be equal without having the same bytes.
        left.hash == right.hash && left.rawValue == right.rawValue
            && (left.hash & 1 == 0 || left.rawValue.hasSameBytes(as: right.rawValue))
    }

    /// The precomputed hash, which the memory cache uses directly.
    @inlinable public var hashValue: Int { hash }

    /// Feeds the precomputed hash.
    @inlinable
    public func hash(into hasher: inout Hasher) {
        hasher.combine(hash)
    }
}

extension ImageKey: MeasuredKey {
    @usableFromInline var byteCount: Int { rawValue.utf8.count }
}

extension String {
    // A hash of the UTF-8 bytes, seeded per process, with the lowest bit set for non-ASCII bytes.
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

    /// Returns whether two strings have the same UTF-8 bytes, which is stricter than canonical equivalence.
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
