import CalotypeCore

/// One result: named values in display order, for JSON and tables.
struct Record: Sendable {
    enum Value: Hashable, Sendable {
        case text(String)
        case count(Int)
        case bytes(Int)
        case milliseconds(Double)
        case flag(Bool)
        case date(Timestamp)
        /// A number with decimals, in the shortest form that gives the same value.
        case number(Double)
        /// In JSON an array, in tables separated by commas.
        indirect case list([Value])
        /// In JSON an object without unknown values; in tables its values separated by commas.
        indirect case group([Member])
    }

    /// A named value of a group.
    struct Member: Hashable, Sendable {
        let name: String
        let value: Value?
    }

    /// The fields; `nil` for an unknown value.
    private(set) var fields: [(name: String, value: Value?)]

    init(_ fields: [(name: String, value: Value?)]) {
        self.fields = fields
    }

    /// Returns the value of a field, or `nil`.
    subscript(name: String) -> Value? {
        fields.first { $0.name == name }?.value
    }

    /// Returns the record with one more field; without a value, the field is omitted.
    func adding(_ name: String, _ value: Value?) -> Record {
        guard let value else { return self }
        return Record(fields + [(name, value)])
    }

    /// Returns the record with another value in a field.
    func replacing(_ name: String, _ value: Value) -> Record {
        Record(fields.map { $0.name == name ? (name, value) : $0 })
    }

    /// Returns the record with a last field `error`, without users and passwords; omitted if there is no
    /// error.
    func withError(_ error: String?) -> Record {
        adding("error", error.map { .text(SafeText.withoutCredentials($0)) })
    }
}
