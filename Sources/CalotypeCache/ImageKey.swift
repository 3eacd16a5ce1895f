/// The key of an image in a cache: text, with its hash prepared once.
///
/// A program makes its own from a string; a pipeline derives them from requests: the *source* says where the
/// bytes come from, the *variant* what was made of them.
public struct ImageKey: Hashable, Sendable {
    /// The whole key; what a byte store is asked with.
    public let rawValue: String

    @usableFromInline let hash: Int

    /// Creates a key from its text.
    @inlinable
    public init(_ rawValue: String) {
        self.rawValue = rawValue
        hash = rawValue.hashValue
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

    /// Whether two keys have the same text.
    @inlinable
    public static func == (left: ImageKey, right: ImageKey) -> Bool {
        left.hash == right.hash && left.rawValue == right.rawValue
    }

    /// The prepared hash, which the memory cache uses as it is.
    @inlinable public var hashValue: Int { hash }

    /// Feeds the prepared hash.
    @inlinable
    public func hash(into hasher: inout Hasher) {
        hasher.combine(hash)
    }
}

extension ImageKey: ExpressibleByStringLiteral, CustomStringConvertible {
    /// Creates a key from a literal.
    public init(stringLiteral value: String) {
        self.init(value)
    }

    /// The text of the key.
    public var description: String { rawValue }
}
