/// A parsed option of a URL: its name and its arguments.
struct OptionArguments {
    /// The name as spelled in the URL.
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

    /// Rejects a wrong number of arguments.
    func expect(_ range: ClosedRange<Int>) throws(RequestError) {
        guard range.contains(count) else { throw error("\(count) arguments; the option takes \(range)") }
    }

    /// Whether an argument is given and not empty.
    func isGiven(_ index: Int) -> Bool { index < count && !values[index].isEmpty }

    func text(_ index: Int) -> Substring { index < count ? values[index] : "" }

    /// Parses a whole number with an optional sign.
    func integer(_ index: Int, _ range: ClosedRange<Int>) throws(RequestError) -> Int {
        let text = text(index)
        guard let value = Int(text), range.contains(value) else {
            throw error("\(text.quoted) is not an integer from \(range.lowerBound) to \(range.upperBound)")
        }
        return value
    }

    /// Parses a side in pixels; 0 derives it from the other side.
    func side(_ index: Int) throws(RequestError) -> Int { try integer(index, 0...limits.maxSide) }

    /// Parses a decimal number.
    func number(_ index: Int, _ range: ClosedRange<Double>) throws(RequestError) -> Double {
        let text = text(index)
        // Excludes hexadecimal digits, and words for infinity and NaN.
        let isDecimal = text.utf8.allSatisfy { "0123456789.eE+-".utf8.contains($0) }
        guard isDecimal, let value = Double(text), range.contains(value) else {
            throw error("\(text.quoted) is not a number from \(range.lowerBound) to \(range.upperBound)")
        }
        // Both zeros are equal, and have one text in keys.
        return value == 0 ? 0 : value
    }

    /// Parses a decimal number above 0.
    func positive(_ index: Int, max: Double) throws(RequestError) -> Double {
        let value = try number(index, 0...max)
        guard value > 0 else { throw error("the number must be above 0") }
        return value
    }

    /// Returns true for `1`, `t`, `true`; false for everything else, as imgproxy does.
    func flag(_ index: Int) -> Bool {
        ["1", "t", "T", "TRUE", "true", "True"].contains(text(index))
    }

    /// Returns the option without its first arguments.
    func dropFirst(_ count: Int) -> OptionArguments {
        OptionArguments(name: name, values: Array(values.dropFirst(count)), limits: limits)
    }
}
