public import CalotypeCore

/// A few waves of colour in a short text, to show while an image loads.
///
/// The text has 4 digits of base 83 and 2 more for each wave, compatible with other libraries. It contains
/// neither the proportions of the image nor alpha; ``ThumbHash`` does.
///
/// - SeeAlso: <https://github.com/woltapp/blurhash/blob/master/Algorithm.md>.
public struct BlurHash: Sendable {
    /// The hash as text: 6 to 166 characters of ASCII.
    public let text: String

    /// The number of horizontal components, including the average: 1...9.
    public let componentsX: Int

    /// The number of vertical components, including the average: 1...9.
    public let componentsY: Int

    /// The average colour of the image, computed in linear light.
    public let averageColor: RGBColor

    /// Red, green and blue of each wave in linear light, row by row; the first is the average.
    let amplitudes: [SIMD3<Double>]

    /// The unit of the largest amplitude, which is one more than its digit in these units.
    static let scaleStep = 1 / 166.0

    /// Parses a hash from untrusted text of any length.
    ///
    /// - Returns: `nil` if the text is not a hash: it contains an invalid digit, its length does not match
    ///   its first digit, or a number is out of range.
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

    /// Decodes a number of three digits of base 19 into amplitudes of -1...1; `nil` for more digits.
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
    /// Returns whether the texts are equal.
    public static func == (left: BlurHash, right: BlurHash) -> Bool { left.text == right.text }

    /// Hashes the text.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(text)
    }
}

extension BlurHash: CustomStringConvertible {
    /// The text.
    public var description: String { text }
}
