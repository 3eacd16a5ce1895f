/// The arguments of a step, read one by one by what the step takes.
struct StepArguments {
    private let grammar: String
    private let bareKey: String?
    private let values: [String: String]

    /// Sorts the arguments by their keys.
    ///
    /// - Throws: ``StepError`` where the step knows no such key, or a value is missing.
    init(_ text: StepText, of step: TransformStep) throws(StepError) {
        grammar = step.grammar
        bareKey = step.bareKey
        var values: [String: String] = [:]
        for argument in text.arguments {
            guard !argument.value.isEmpty else {
                let place = argument.key.map { "\($0)=" } ?? "\(step.name):"
                throw StepError(.missingValue, "nothing stands behind \(place); write \(step.grammar)")
            }
            guard let key = argument.key ?? step.bareKey, argument.key.map(step.keys.contains) ?? true else {
                throw StepError(.unknownKey, "\(step.name) takes no \(argument.label); write \(step.grammar)")
            }
            values[key] = argument.value
        }
        self.values = values
    }

    /// The value of an argument; `nil` where it is not given.
    ///
    /// - Throws: ``StepError`` where the text is no such value.
    func optional<Value>(_ key: String, _ form: ArgumentForm<Value>) throws(StepError) -> Value? {
        guard let text = values[key] else { return nil }
        guard let value = form.read(text) else {
            let label = key == bareKey ? key.uppercased() : "\(key)="
            throw StepError(.invalidValue, "\(label) is \(form.description), not \(StepError.quoted(text))")
        }
        return value
    }

    /// The value of an argument that the step needs.
    ///
    /// - Throws: ``StepError`` where it is not given, or the text is no such value.
    func required<Value>(_ key: String, _ form: ArgumentForm<Value>) throws(StepError) -> Value {
        guard let value = try optional(key, form) else {
            throw StepError(.missingValue, "\(key) is missing; write \(grammar)")
        }
        return value
    }

    /// Which of several arguments that exclude each other is given.
    ///
    /// - Throws: ``StepError`` where it is none of them, or more than one.
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

    /// Refuses arguments that have no meaning without or beside another one, which the reason says.
    ///
    /// - Throws: ``StepError`` where one of them is given.
    func refuse(_ keys: String..., because reason: String) throws(StepError) {
        guard let key = keys.first(where: { values[$0] != nil }) else { return }
        throw StepError(.unknownKey, "\(key)= has no meaning \(reason); write \(grammar)")
    }

    /// Requires at least one of several arguments.
    ///
    /// - Throws: ``StepError`` where none of them is given.
    func requireAny(of keys: String...) throws(StepError) {
        guard !keys.contains(where: { values[$0] != nil }) else { return }
        throw StepError(.missingValue, "an argument is missing; write \(grammar)")
    }
}

extension StepText.Argument {
    /// How an error names it.
    fileprivate var label: String { key.map { "\($0)=" } ?? StepError.quoted(value) }
}
