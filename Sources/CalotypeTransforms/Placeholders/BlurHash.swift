public import CalotypeCore

/// A few waves of colour in a short text, to show until an image is there.
///
/// The text has 4 digits of base 83 and 2 more for each wave; it is the one that other libraries read and
/// write too. It tells neither the proportions of the image nor alpha; ``ThumbHash`` does.
///
/// - SeeAlso: <https://github.com/woltapp/blurhash/blob/master/Algorithm.md>.
public struct BlurHash: Sendable {
    /// The hash as text: 6 to 166 characters of ASCII.
    public let text: String

    /// Half waves from left to right, that of the average counted: 1...9.
    public let componentsX: Int

    /// Half waves from top to bottom, that of the average counted: 1...9.
    public let componentsY: Int

    /// The average colour of the image, averaged as light.
    public let averageColor: RGBColor

    /// Red, green and blue of each wave as light, row by row; the first is the average.
    let amplitudes: [SIMD3<Double>]

    /// The greatest amplitude is one such step where its digit is 0, two where it is 1, and so on.
    static let scaleStep = 1 / 166.0

    /// Reads a hash from its text as it came, of any length.
    ///
    /// - Returns: `nil` where the text is no hash: it has a character that is no digit, another length than
    ///   its first digit says, or a number that is never written.
    public init?(_ text: String) {
        guard text.utf8.count <= 4 + 2 * 9 * 9 else { return nil }
        let digits = Array(text.utf8)
        guard digits.count >= 6, let shape = Base83.number(digits[..<1]), shape < 81 else { return nil }
        (componentsX, componentsY) = (shape % 9 + 1, shape / 9 + 1)
        guard digits.count == 4 + 2 * componentsX * componentsY,
            let scale = Base83.number(digits[1..<2]),
            let average = Base83.number(digits[2..<6]), average <= 0xFF_FFFF
        else { return nil }
        averageColor = RGBColor(
            red: UInt8(average >> 16),
            green: UInt8(average >> 8 & 255),
            blue: UInt8(average & 255)
        )
        var amplitudes = [averageColor.light]
        for start in stride(from: 6, to: digits.count, by: 2) {
            guard let number = Base83.number(digits[start..<start + 2]),
                let wave = Self.amplitude(number)
            else { return nil }
            amplitudes.append(wave * Double(scale + 1) * Self.scaleStep)
        }
        self.text = text
        self.amplitudes = amplitudes
    }

    /// What a number of three digits of base 19 stands for, -1...1 each; `nil` where there are more.
    private static func amplitude(_ number: Int) -> SIMD3<Double>? {
        guard number < 19 * 19 * 19 else { return nil }
        let signed = SIMD3(Double(number / 361), Double(number / 19 % 19), Double(number % 19)) / 9 - 1
        return signed * SIMD3(abs(signed.x), abs(signed.y), abs(signed.z))
    }
}

extension RGBColor {
    fileprivate var light: SIMD3<Double> {
        SIMD3(SRGBCurve.light(red), SRGBCurve.light(green), SRGBCurve.light(blue))
    }
}

extension BlurHash: Hashable {
    /// Whether both have the same text.
    public static func == (left: BlurHash, right: BlurHash) -> Bool { left.text == right.text }

    /// Feeds the text.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(text)
    }
}

extension BlurHash: CustomStringConvertible {
    /// The text.
    public var description: String { text }
}
