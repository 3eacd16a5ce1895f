import CalotypeCore

/// One result: named values in the order they are shown, for JSON and for tables alike.
struct Record: Sendable {
    /// A value, with what it measures.
    enum Value: Hashable, Sendable {
        case text(String)
        case count(Int)
        case bytes(Int)
        case milliseconds(Double)
        case flag(Bool)
        case date(Timestamp)
    }

    /// The fields; `nil` where the value is not known.
    private(set) var fields: [(name: String, value: Value?)]

    init(_ fields: [(name: String, value: Value?)]) {
        self.fields = fields
    }

    /// The value of a field, or `nil`.
    subscript(name: String) -> Value? {
        fields.first { $0.name == name }?.value
    }

    /// The same with one more field; without a value, the field is absent.
    func adding(_ name: String, _ value: Value?) -> Record {
        guard let value else { return self }
        return Record(fields + [(name, value)])
    }

    /// The same with another value in a field.
    func replacing(_ name: String, _ value: Value) -> Record {
        Record(fields.map { $0.name == name ? (name, value) : $0 })
    }

    /// The same with `error` in the last place, without users and passwords; absent where there is none.
    func withError(_ error: String?) -> Record {
        adding("error", error.map { .text(SafeText.withoutCredentials($0)) })
    }
}
