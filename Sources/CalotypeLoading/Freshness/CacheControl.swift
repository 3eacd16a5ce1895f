/// The directives of the `Cache-Control` fields of a request or of an answer.
///
/// Of directives that come more than once the first counts; unknown ones are passed over (RFC 9111 §5.2.3).
/// What limits reuse counts also where its argument is wrong; what extends it then does not.
struct CacheControl: Hashable, Sendable {
    /// Seconds; zero where the argument is not a number (RFC 9111 §4.2.1).
    private(set) var maxAge: Int64?
    /// Seconds past the lifetime in which an answer may be used while it is validated (RFC 5861 §3).
    private(set) var staleWhileRevalidate: Int64?
    /// Seconds past the lifetime in which an answer may be used where the origin fails (RFC 5861 §4).
    private(set) var staleIfError: Int64?
    /// Seconds past the lifetime that a client accepts; all there are where it names none (RFC 9111
    /// §5.2.1.2).
    private(set) var maxStale: Int64?
    /// Seconds that must be left of the lifetime (RFC 9111 §5.2.1.3).
    private(set) var minFresh: Int64?
    private(set) var isNoStore = false
    /// With an argument it means some fields only; it is taken to mean the whole, as RFC 9111 §5.2.2.4
    /// allows.
    private(set) var isNoCache = false
    private(set) var isMustRevalidate = false
    private(set) var isMustUnderstand = false
    private(set) var isImmutable = false
    /// Whether `public` or `private` says that the answer may be stored whatever its status.
    private(set) var isExplicitlyStorable = false
    private(set) var isPrivate = false
    private(set) var isOnlyIfCached = false

    /// Whether an answer whose status is understood must not be stored; `must-understand` lifts the
    /// `no-store` beside it (RFC 9111 §5.2.2.3).
    var forbidsStoring: Bool { isNoStore && !isMustUnderstand }

    /// Reads the value of a field; several fields are joined by commas before.
    init(_ value: String) {
        var rest = value.utf8[...]
        while let directive = Directive(takenFrom: &rest) { apply(directive) }
    }

    /// Reads the fields of a request or of an answer.
    init(_ headers: [HeaderField]) {
        self.init(headers.combinedValue(of: "cache-control") ?? "")
    }

    private mutating func apply(_ directive: Directive) {
        switch directive.name {
        case "max-age": maxAge = maxAge ?? directive.seconds ?? 0
        case "stale-while-revalidate": staleWhileRevalidate = staleWhileRevalidate ?? directive.seconds ?? 0
        case "stale-if-error": staleIfError = staleIfError ?? directive.seconds ?? 0
        case "max-stale":
            maxStale = maxStale ?? (directive.argument == nil ? deltaSecondsMax : directive.seconds ?? 0)
        case "min-fresh": minFresh = minFresh ?? directive.seconds ?? deltaSecondsMax
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

/// What a number of seconds that is too large counts as (RFC 9111 §1.2.2).
let deltaSecondsMax: Int64 = 1 << 31

/// Reads a number of seconds: digits alone, at most ``deltaSecondsMax``.
func deltaSeconds(_ text: String) -> Int64? {
    guard !text.isEmpty, text.utf8.allSatisfy({ (48...57).contains($0) }) else { return nil }
    return min(Int64(text) ?? deltaSecondsMax, deltaSecondsMax)
}

/// One directive: a name, and an argument as a token or in quotes (RFC 9111 §5.2).
private struct Directive {
    /// In lower case; empty where nothing but an argument stands there.
    let name: String
    /// Without its quotes.
    let argument: String?

    var seconds: Int64? { argument.flatMap(deltaSeconds) }

    /// Takes the next directive and the comma behind it; `nil` at the end.
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

/// Takes a string in quotes.
///
/// One that never ends is none: it must not hide the directives behind it.
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
