import CalotypeCore

/// The syntax of an argument value of a step.
struct ArgumentForm<Value> {
    /// The description in errors: `a number, such as 2.5`.
    let description: String
    let read: (String) -> Value?

    init(_ description: String, read: @escaping (String) -> Value?) {
        self.description = description
        self.read = read
    }
}

extension ArgumentForm<Double> {
    static var number: ArgumentForm {
        ArgumentForm("a number, such as 2.5") { text in
            Double(text).flatMap { $0.isFinite ? $0 : nil }
        }
    }

    /// The width divided by the height, such as `16:9` or `1.5`.
    static var ratio: ArgumentForm {
        ArgumentForm("a ratio, such as 16:9 or 1.5") { text in
            let sides = text.split(separator: ":", omittingEmptySubsequences: false).map {
                Self.number.read(String($0))
            }
            switch (sides.count, sides.first ?? nil, sides.last ?? nil) {
            case (1, let ratio?, _): return ratio
            // Two zero sides, or sides too far apart, give no finite number.
            case (2, let width?, let height?): return (width / height).isFinite ? width / height : nil
            default: return nil
            }
        }
    }
}

extension ArgumentForm<Int> {
    /// A whole number.
    static var integer: ArgumentForm {
        ArgumentForm("a whole number, such as 20") { Int($0) }
    }
}

extension ArgumentForm<[Int]> {
    /// A fixed number of whole numbers, separated by commas.
    static func integers(_ counts: Int..., such example: String) -> ArgumentForm {
        ArgumentForm(example) { text in
            let numbers = text.split(separator: ",", omittingEmptySubsequences: false).map { Int($0) }
            guard counts.contains(numbers.count), !numbers.contains(nil) else { return nil }
            return numbers.compactMap(\.self)
        }
    }
}

extension ArgumentForm<PixelSize> {
    /// A width and a height.
    static var size: ArgumentForm {
        ArgumentForm("a size, such as 400x300") { text in
            let sides = text.lowercased().split(separator: "x", omittingEmptySubsequences: false)
            guard sides.count == 2, let width = Int(sides[0]), let height = Int(sides[1]) else { return nil }
            return PixelSize(width: width, height: height)
        }
    }
}

extension ArgumentForm<RGBAColor> {
    static var names: [String: RGBAColor] { ["white": .white, "black": .black, "clear": .clear] }

    /// A colour by its name, or in hexadecimal digits.
    static var color: ArgumentForm {
        ArgumentForm("a colour, such as f80, ff8800, ff880080, white, black or clear") { text in
            names[text] ?? RGBAColor(hex: text)
        }
    }
}

extension ArgumentForm<RGBColor> {
    static var opaqueColor: ArgumentForm {
        ArgumentForm("a colour without alpha, such as f80, white or black") { text in
            guard let color = ArgumentForm<RGBAColor>.color.read(text), color.alpha == 255 else { return nil }
            return RGBColor(red: color.red, green: color.green, blue: color.blue)
        }
    }
}

extension ArgumentForm<Bool> {
    /// `yes` or `no`; a missing argument means no.
    static var yes: ArgumentForm {
        ArgumentForm("yes or no") { text in ["yes": true, "no": false][text] }
    }

    /// A single allowed word.
    static func word(_ word: String) -> ArgumentForm {
        ArgumentForm("“\(word)”") { $0 == word ? true : nil }
    }
}

extension ArgumentForm<String> {
    static var text: ArgumentForm { ArgumentForm("a text") { $0 } }
}

extension ArgumentForm where Value: CaseIterable {
    /// A case of an enumeration, by its name in Swift.
    static var choice: ArgumentForm {
        let cases = Dictionary(uniqueKeysWithValues: Value.allCases.map { ("\($0)", $0) })
        return ArgumentForm("one of \(names(separator: ", "))") { cases[$0] }
    }

    static func names(separator: String = "|") -> String {
        Value.allCases.map { "\($0)" }.joined(separator: separator)
    }
}
