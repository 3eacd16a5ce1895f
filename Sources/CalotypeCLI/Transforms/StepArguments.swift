struct StepArguments {
    private let grammar: String
    private let bareKey: String?
    private let values: [String: String]

    /// Assigns the arguments to their keys.
    ///
    /// - Throws: ``StepError`` if the step has no such key, or a value is missing.
    init(_ text: StepText, of step: TransformStep) throws(StepError) {
        grammar = step.grammar
        bareKey = step.bareKey
        var values: [String: String] = [:]
        for argument in text.arguments {
            guard !argument.value.isEmpty else {
                let place = argument.key.map { "\($0)=" } ?? "\(step.name):"
                throw StepError(.missingValue, "the value of \(place) is missing; write \(step.grammar)")
            }
            guard let key = argument.key ?? step.bareKey, argument.key.map(step.keys.contains) ?? true else {
                throw StepError(.unknownKey, "\(step.name) has no \(argument.label); write \(step.grammar)")
            }
            values[key] = argument.value
        }
        self.values = values
    }

    /// Returns the value of an argument, or `nil` if it is not given.
    ///
    /// - Throws: ``StepError`` if the text is not such a value.
    func optional<Value>(_ key: String, _ form: ArgumentForm<Value>) throws(StepError) -> Value? {
        guard let text = values[key] else { return nil }
        guard let value = form.read(text) else {
            let label = key == bareKey ? key.uppercased() : "\(key)="
            throw StepError(
                .invalidValue,
                "\(label) must be \(form.description), not \(StepError.quoted(text))"
            )
        }
        return value
    }

    /// Returns the value of a required argument.
    ///
    /// - Throws: ``StepError`` if it is not given, or the text is not such a value.
    func required<Value>(_ key: String, _ form: ArgumentForm<Value>) throws(StepError) -> Value {
        guard let value = try optional(key, form) else {
            throw StepError(.missingValue, "\(key) is missing; write \(grammar)")
        }
        return value
    }

    /// Returns the key of the given one of several arguments that exclude each other.
    ///
    /// - Throws: ``StepError`` if none, or more than one, is given.
    func one(of keys: String...) throws(StepError) -> String {
        let given = keys.filter { values[$0] != nil }
        guard let key = given.first else {
            let list = keys.joined(separator: ", ")
            throw StepError(.missingValue, "one of \(list) is missing; write \(grammar)")
        }
        guard given.count == 1 else {
            throw StepError(.repeatedKey, "\(given.joined(separator: "= and "))= exclude each other")
        }
        return key
    }

    /// Rejects arguments that have no effect without or beside another one; the reason says which.
    ///
    /// - Throws: ``StepError`` if one of them is given.
    func refuse(_ keys: String..., because reason: String) throws(StepError) {
        guard let key = keys.first(where: { values[$0] != nil }) else { return }
        throw StepError(.unknownKey, "\(key)= has no effect \(reason); write \(grammar)")
    }

    /// Requires at least one of several arguments.
    ///
    /// - Throws: ``StepError`` if no such argument is given.
    func requireAny(of keys: String...) throws(StepError) {
        guard !keys.contains(where: { values[$0] != nil }) else { return }
        throw StepError(.missingValue, "an argument is missing; write \(grammar)")
    }
}

extension StepText.Argument {
    /// The name of the argument in an error.
    fileprivate var label: String { key.map { "\($0)=" } ?? StepError.quoted(value) }
}
