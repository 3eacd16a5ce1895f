/// An option of a URL as it is written: its name, and what stands behind it.
struct OptionArguments {
    /// As the URL spells it.
    let name: String
    let values: [Substring]
    let limits: GrammarLimits

    var count: Int { values.count }

    func error(_ detail: String) -> RequestError {
        RequestError(.invalidOption, option: name, detail: "\(name.quoted): \(detail)")
    }

    func unsupported(_ detail: String) -> RequestError {
        RequestError(.unsupportedOption, option: name, detail: "\(name.quoted): \(detail)")
    }

    /// Refuses more arguments than the option has.
    func expect(_ range: ClosedRange<Int>) throws(RequestError) {
        guard range.contains(count) else { throw error("\(count) arguments; it has \(range)") }
    }

    /// Whether there is such an argument, and it is not empty.
    func isGiven(_ index: Int) -> Bool { index < count && !values[index].isEmpty }

    func text(_ index: Int) -> Substring { index < count ? values[index] : "" }

    /// A whole number, with or without a sign.
    func integer(_ index: Int, _ range: ClosedRange<Int>) throws(RequestError) -> Int {
        let text = text(index)
        guard let value = Int(text), range.contains(value) else {
            throw error("\(text.quoted) is no whole number of \(range.lowerBound) to \(range.upperBound)")
        }
        return value
    }

    /// A side in pixels; 0 where another decides.
    func side(_ index: Int) throws(RequestError) -> Int { try integer(index, 0...limits.sideMax) }

    /// A decimal number.
    func number(_ index: Int, _ range: ClosedRange<Double>) throws(RequestError) -> Double {
        let text = text(index)
        // No hexadecimal digits, no words for what is no number.
        let isDecimal = text.utf8.allSatisfy { "0123456789.eE+-".utf8.contains($0) }
        guard isDecimal, let value = Double(text), range.contains(value) else {
            throw error("\(text.quoted) is no number of \(range.lowerBound) to \(range.upperBound)")
        }
        return value
    }

    /// A decimal number above 0.
    func positive(_ index: Int, max: Double) throws(RequestError) -> Double {
        let value = try number(index, 0...max)
        guard value > 0 else { throw error("it is above 0") }
        return value
    }

    /// True for `1`, `t`, `true`; false for everything else, as imgproxy has it.
    func flag(_ index: Int) -> Bool {
        ["1", "t", "T", "TRUE", "true", "True"].contains(text(index))
    }

    /// The same option with its arguments from one on.
    func dropFirst(_ count: Int) -> OptionArguments {
        OptionArguments(name: name, values: Array(values.dropFirst(count)), limits: limits)
    }
}
