/// The recorded fields of a response, each with a bounded value without control characters.
struct RecordedFields: Hashable, Sendable {
    /// A recorded field; the number identifies it in the encoded form.
    enum Name: UInt8, CaseIterable {
        case cacheControl = 1
        case expires, date, age, entityTag, lastModified, contentType
        /// Not a response field: the seconds for which the redirects to the response were valid at its
        /// receipt.
        case redirectLifetime
        /// Not a response field: the digest of the response's URL.
        case source

        /// The name in lower case; empty if it is not a response field.
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

        /// The most bytes of a value.
        var maxByteCount: Int {
            switch self {
            case .cacheControl, .entityTag: 1_024
            case .expires, .date, .lastModified, .source: 64
            case .age, .redirectLifetime: 32
            case .contentType: 256
            }
        }

        /// The conservative replacement of a value that cannot be recorded.
        var fallback: String? {
            switch self {
            case .cacheControl: "no-cache"
            case .expires, .redirectLifetime: "0"
            case .age: String(maxDeltaSeconds)
            case .date, .entityTag, .lastModified, .contentType, .source: nil
            }
        }
    }

    private var values: [Name: String] = [:]

    init() {}

    /// Records the relevant fields of a response: the first of repeated fields, but all of `Cache-Control`.
    init(_ headers: [HeaderField]) {
        for name in Name.allCases where !name.text.isEmpty {
            let value =
                name == .cacheControl
                ? headers.combinedValue(of: name.text) : headers.firstValue(of: name.text)
            guard let value else { continue }
            values[name] = Self.isKept(value, name) ? value : name.fallback
        }
    }

    subscript(name: Name) -> String? { values[name] }

    /// The size of all values in bytes.
    var byteCount: Int { values.values.reduce(0) { $0 + $1.utf8.count } }

    /// Sets a value.
    ///
    /// - Returns: Whether the value fits; if not, it is unchanged.
    mutating func set(_ name: Name, _ value: String) -> Bool {
        guard Self.isKept(value, name) else { return false }
        values[name] = value
        return true
    }

    /// Returns the fields after a 304 response, whose fields replace the recorded ones (RFC 9111 §3.2).
    ///
    /// `Date`, `Age` and redirects apply to one response only, so the old ones are always dropped.
    func updated(by newer: RecordedFields) -> RecordedFields {
        var updated = self
        updated.values[.date] = nil
        updated.values[.age] = nil
        updated.values[.redirectLifetime] = nil
        updated.values.merge(newer.values) { $1 }
        return updated
    }

    private static func isKept(_ value: String, _ name: Name) -> Bool {
        value.utf8.count <= name.maxByteCount
            && value.utf8.allSatisfy { $0 == UInt8(ascii: "\t") || $0 >= 0x20 && $0 != 0x7F }
    }
}
