/// The directives of the `Cache-Control` fields of a request or a response.
///
/// The first of repeated directives counts; unknown ones are ignored (RFC 9111 §5.2.3). Directives that limit
/// reuse apply even with an invalid argument; those that extend it do not.
struct CacheControl: Hashable, Sendable {
    /// Seconds; zero if the argument is not a number (RFC 9111 §4.2.1).
    private(set) var maxAge: Int64?
    /// Seconds past the lifetime in which a response may be used while it is validated (RFC 5861 §3).
    private(set) var staleWhileRevalidate: Int64?
    /// Seconds past the lifetime in which a response may be used if the origin fails (RFC 5861 §4).
    private(set) var staleIfError: Int64?
    /// Seconds past the lifetime that a client accepts; unlimited without an argument (RFC 9111 §5.2.1.2).
    private(set) var maxStale: Int64?
    /// Seconds of the lifetime that must be left (RFC 9111 §5.2.1.3).
    private(set) var minFresh: Int64?
    private(set) var isNoStore = false
    /// An argument limits it to some fields; it is applied to the whole response, as RFC 9111 §5.2.2.4
    /// allows.
    private(set) var isNoCache = false
    private(set) var isMustRevalidate = false
    private(set) var isMustUnderstand = false
    private(set) var isImmutable = false
    /// Whether `public` or `private` allows storing the response for any status.
    private(set) var isExplicitlyStorable = false
    private(set) var isPrivate = false
    private(set) var isOnlyIfCached = false

    /// Whether a response with an understood status must not be stored; `must-understand` overrides
    /// `no-store` (RFC 9111 §5.2.2.3).
    var forbidsStoring: Bool { isNoStore && !isMustUnderstand }

    /// Parses the value of a field; several fields must be joined by commas before.
    init(_ value: String) {
        var rest = value.utf8[...]
        while let directive = Directive(takenFrom: &rest) { apply(directive) }
    }

    /// Parses the fields of a request or a response.
    init(_ headers: [HeaderField]) {
        self.init(headers.combinedValue(of: "cache-control") ?? "")
    }

    private mutating func apply(_ directive: Directive) {
        switch directive.name {
        case "max-age": maxAge = maxAge ?? directive.seconds ?? 0
        case "stale-while-revalidate": staleWhileRevalidate = staleWhileRevalidate ?? directive.seconds ?? 0
        case "stale-if-error": staleIfError = staleIfError ?? directive.seconds ?? 0
        case "max-stale":
            maxStale = maxStale ?? (directive.argument == nil ? maxDeltaSeconds : directive.seconds ?? 0)
        case "min-fresh": minFresh = minFresh ?? directive.seconds ?? maxDeltaSeconds
        case "no-store": isNoStore = true
        case "no-cache": isNoCache = true
        case "must-revalidate": isMustRevalidate = true
        case "must-understand": isMustUnderstand = true
        case "immutable": isImmutable = true
        case "public": isExplicitlyStorable = true
        case "private": (isExplicitlyStorable, isPrivate) = (true, true)
        case "only-if-cached": isOnlyIfCached = true
        default: break
        }
    }
}

/// The value of a number of seconds that is too large (RFC 9111 §1.2.2).
let maxDeltaSeconds: Int64 = 1 << 31

/// Parses a number of seconds: digits only, clamped to ``maxDeltaSeconds``.
func deltaSeconds(_ text: String) -> Int64? {
    guard !text.isEmpty, text.utf8.allSatisfy({ (48...57).contains($0) }) else { return nil }
    return min(Int64(text) ?? maxDeltaSeconds, maxDeltaSeconds)
}

/// A directive: a name, and an argument as a token or quoted string (RFC 9111 §5.2).
private struct Directive {
    /// In lower case; empty if only an argument is present.
    let name: String
    /// Without its quotes.
    let argument: String?

    var seconds: Int64? { argument.flatMap(deltaSeconds) }

    /// Parses the next directive and the comma after it; returns `nil` at the end.
    init?(takenFrom rest: inout Substring.UTF8View) {
        rest = rest.drop { $0 == UInt8(ascii: ",") || isBlank($0) }
        guard !rest.isEmpty else { return nil }
        let name = rest.prefix { $0 != UInt8(ascii: ",") && $0 != UInt8(ascii: "=") }
        rest = rest.dropFirst(name.count)
        self.name = trimmed(name).lowercased()
        guard rest.first == UInt8(ascii: "=") else {
            argument = nil
            return
        }
        rest = rest.dropFirst().drop(while: isBlank)
        if let quoted = quotedString(takenFrom: &rest) {
            argument = quoted
            rest = rest.drop { $0 != UInt8(ascii: ",") }
        } else {
            let token = rest.prefix { $0 != UInt8(ascii: ",") }
            rest = rest.dropFirst(token.count)
            argument = trimmed(token)
        }
    }
}

/// Parses a quoted string.
///
/// An unterminated string is rejected: it must not hide the directives after it.
private func quotedString(takenFrom rest: inout Substring.UTF8View) -> String? {
    guard rest.first == UInt8(ascii: "\"") else { return nil }
    var text: [UInt8] = []
    var index = rest.index(after: rest.startIndex)
    while index < rest.endIndex {
        var byte = rest[index]
        index = rest.index(after: index)
        if byte == UInt8(ascii: "\"") {
            rest = rest[index...]
            return String(decoding: text, as: UTF8.self)
        }
        if byte == UInt8(ascii: "\\"), index < rest.endIndex {
            byte = rest[index]
            index = rest.index(after: index)
        }
        text.append(byte)
    }
    return nil
}

private func isBlank(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t")
}

private func trimmed(_ bytes: Substring.UTF8View) -> String {
    var bytes = bytes.drop(while: isBlank)
    while bytes.last.map(isBlank) == true { bytes.removeLast() }
    return String(Substring(bytes))
}
