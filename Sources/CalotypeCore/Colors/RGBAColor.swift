import CalotypeSupport

/// An sRGB colour with 8 bits a channel and straight alpha.
public struct RGBAColor: Hashable, Sendable, Codable {
    /// Red, 0...255.
    public var red: UInt8
    /// Green, 0...255.
    public var green: UInt8
    /// Blue, 0...255.
    public var blue: UInt8
    /// The opacity, 0...255; 255 by default.
    public var alpha: UInt8

    /// Creates a colour from its channels.
    public init(red: UInt8, green: UInt8, blue: UInt8, alpha: UInt8 = 255) {
        self.red = red
        self.green = green
        self.blue = blue
        self.alpha = alpha
    }

    /// Creates an opaque colour.
    public init(_ color: RGBColor) {
        self.init(red: color.red, green: color.green, blue: color.blue)
    }

    /// Creates a colour from `rgb`, `rrggbb` or `rrggbbaa` in hexadecimal digits, optionally after `#`.
    ///
    /// - Returns: `nil` for any other text.
    public init?(hex text: String) {
        var digits = text.hasPrefix("#") ? text.dropFirst() : text[...]
        guard digits.utf8.allSatisfy({ Character(UnicodeScalar($0)).isHexDigit }) else { return nil }
        let doubled = digits.flatMap { [$0, $0] }
        if digits.count == 3 { digits = String(doubled)[...] }
        if digits.count == 6 { digits += "ff" }
        guard digits.count == 8, let value = UInt32(digits, radix: 16) else { return nil }
        self.init(
            red: UInt8(truncatingIfNeeded: value >> 24),
            green: UInt8(truncatingIfNeeded: value >> 16),
            blue: UInt8(truncatingIfNeeded: value >> 8),
            alpha: UInt8(truncatingIfNeeded: value)
        )
    }

    /// The colour as `rrggbbaa`.
    public var hex: String {
        [red, green, blue, alpha].hexadecimalDigits
    }

    /// Transparent black.
    public static let clear = RGBAColor(red: 0, green: 0, blue: 0, alpha: 0)
    /// All channels 255.
    public static let white = RGBAColor(.white)
    /// Opaque black.
    public static let black = RGBAColor(.black)
}
