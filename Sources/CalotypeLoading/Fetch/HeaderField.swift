/// A header field of a request or a response.
///
/// Its description shows the value only for fields known to contain no secrets.
public struct HeaderField: Hashable, Sendable {
    /// The name; compared ignoring case.
    public var name: String
    /// The value.
    public var value: String

    /// Creates a field.
    public init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }
}

extension HeaderField: CustomStringConvertible, CustomReflectable {
    /// Fields whose values are not secret.
    private static let harmlessNames: Set = [
        "accept", "accept-encoding", "accept-language", "accept-ranges", "age", "cache-control", "connection",
        "content-encoding", "content-length", "content-range", "content-type", "date", "etag", "expires",
        "host", "if-modified-since", "if-none-match", "if-range", "last-modified", "pragma", "range",
        "retry-after", "server", "transfer-encoding", "user-agent", "vary",
    ]

    /// The text `name: value`, with `…` in place of a value that may be a secret.
    public var description: String {
        "\(name): \(Self.harmlessNames.contains(name.lowercased()) ? value : "…")"
    }

    /// The description only, so that `dump` shows no secret either.
    public var customMirror: Mirror { Mirror(self, children: ["field": description]) }
}

extension [HeaderField] {
    /// The value of the first field with a name, ignoring case; setting it replaces all fields of that name.
    public subscript(name: String) -> String? {
        get { first { $0.hasName(name) }?.value }
        set {
            let index = firstIndex { $0.hasName(name) }
            removeAll { $0.hasName(name) }
            guard let newValue else { return }
            insert(HeaderField(name, newValue), at: Swift.min(index ?? count, count))
        }
    }
}

extension HeaderField {
    fileprivate func hasName(_ other: String) -> Bool { name.lowercased() == other.lowercased() }
}
