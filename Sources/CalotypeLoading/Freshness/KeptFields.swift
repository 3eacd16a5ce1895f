/// The fields of an answer that are kept, each with a bounded value without control characters.
struct KeptFields: Hashable, Sendable {
    /// A field that is kept; the number stands for it in the coded form.
    enum Name: UInt8, CaseIterable {
        case cacheControl = 1
        case expires, date, age, entityTag, lastModified, contentType
        /// No field of an answer: the seconds for which the redirects that led to it held when it came.
        case redirectLifetime
        /// No field of an answer: the digest of the URL that gave it.
        case source

        /// The name in lower case; empty for what is no field.
        var text: String {
            switch self {
            case .redirectLifetime, .source: ""
            case .cacheControl: "cache-control"
            case .expires: "expires"
            case .date: "date"
            case .age: "age"
            case .entityTag: "etag"
            case .lastModified: "last-modified"
            case .contentType: "content-type"
            }
        }

        /// The most bytes that a value may have.
        var byteCountMax: Int {
            switch self {
            case .cacheControl, .entityTag: 1_024
            case .expires, .date, .lastModified, .source: 64
            case .age, .redirectLifetime: 32
            case .contentType: 256
            }
        }

        /// What a value that cannot be kept counts as: the safe side.
        var fallback: String? {
            switch self {
            case .cacheControl: "no-cache"
            case .expires, .redirectLifetime: "0"
            case .age: String(deltaSecondsMax)
            case .date, .entityTag, .lastModified, .contentType, .source: nil
            }
        }
    }

    private var values: [Name: String] = [:]

    /// Keeps nothing.
    init() {}

    /// Keeps what matters of the fields of an answer; of those that are there twice the first, but all of
    /// `Cache-Control`.
    init(_ headers: [HeaderField]) {
        for name in Name.allCases where !name.text.isEmpty {
            let value =
                name == .cacheControl
                ? headers.combinedValue(of: name.text) : headers.firstValue(of: name.text)
            guard let value else { continue }
            values[name] = Self.isKept(value, name) ? value : name.fallback
        }
    }

    /// The value of a field.
    subscript(name: Name) -> String? { values[name] }

    /// The bytes of all values.
    var byteCount: Int { values.values.reduce(0) { $0 + $1.utf8.count } }

    /// Sets a value that is known to fit.
    ///
    /// - Returns: Whether it does fit; else nothing has changed.
    mutating func set(_ name: Name, _ value: String) -> Bool {
        guard Self.isKept(value, name) else { return false }
        values[name] = value
        return true
    }

    /// The fields after an answer 304: what it brings replaces what was there (RFC 9111 §3.2).
    ///
    /// `Date`, `Age` and redirects speak of one answer only, so the old ones never stay.
    func updated(by newer: KeptFields) -> KeptFields {
        var updated = self
        updated.values[.date] = nil
        updated.values[.age] = nil
        updated.values[.redirectLifetime] = nil
        updated.values.merge(newer.values) { $1 }
        return updated
    }

    private static func isKept(_ value: String, _ name: Name) -> Bool {
        value.utf8.count <= name.byteCountMax
            && value.utf8.allSatisfy { $0 == UInt8(ascii: "\t") || $0 >= 0x20 && $0 != 0x7F }
    }
}
