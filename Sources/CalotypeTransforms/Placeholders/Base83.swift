/// Numbers in digits of base 83, the most significant first.
enum Base83 {
    private static let digits = Array(
        "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz#$%*+,-.:;=?@[]^_{|}~".utf8
    )

    private static let values: [UInt8: Int] = Dictionary(
        uniqueKeysWithValues: digits.enumerated().map { ($1, $0) }
    )

    /// Returns the number in a fixed number of digits, which must suffice.
    static func text(_ number: Int, digitCount: Int) -> String {
        var rest = number
        var text: [UInt8] = []
        for _ in 0..<digitCount {
            text.append(digits[rest % 83])
            rest /= 83
        }
        return String(decoding: text.reversed(), as: UTF8.self)
    }

    /// Parses at most eight digits; `nil` for another character.
    static func number(_ text: some Collection<UInt8>) -> Int? {
        var number = 0
        for byte in text {
            guard let value = values[byte] else { return nil }
            number = number * 83 + value
        }
        return number
    }
}
