import CalotypeSupport

extension RGBColor {
    /// Returns the levels of this colour in a space; `nil` if they are not known.
    ///
    /// Known for Display P3, which contains all colours of sRGB, and for black and white in any space of RGB.
    package func levels(in space: ColorSpace) -> RGBColor? {
        if space == .sRGB || self == .black || self == .white { return self }
        guard space == .displayP3 else { return nil }
        // Gray has the same levels, since white and the curve are the same.
        guard red != green || green != blue else { return self }
        let light = [red, green, blue].map(Self.light)
        // From the primaries of BT.709 to those of P3, both under D65 (SMPTE RP 177).
        let rows = [
            [0.822_461_97, 0.177_538_03, 0], [0.033_194_20, 0.966_805_80, 0],
            [0.017_082_63, 0.072_397_44, 0.910_519_93],
        ]
        let levels = rows.map { row in Self.level(zip(row, light).reduce(0) { $0 + $1.0 * $1.1 }) }
        return RGBColor(red: levels[0], green: levels[1], blue: levels[2])
    }

    /// Returns the linear light of a level, 0...1 (IEC 61966-2-1).
    private static func light(_ level: UInt8) -> Double {
        let value = Double(level) / 255
        return value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)
    }

    /// Returns the level nearest to an amount of light.
    private static func level(_ light: Double) -> UInt8 {
        let light = min(1, max(0, light))
        let value = light <= 0.0031308 ? light * 12.92 : 1.055 * pow(light, 1 / 2.4) - 0.055
        return UInt8((value * 255).rounded())
    }
}

extension RGBAColor {
    /// Returns the levels of this colour in a space, with the same alpha; `nil` if they are not known.
    ///
    /// A transparent colour is the same in all spaces.
    package func levels(in space: ColorSpace) -> RGBAColor? {
        guard alpha > 0 else { return self }
        guard let color = RGBColor(red: red, green: green, blue: blue).levels(in: space) else { return nil }
        return RGBAColor(red: color.red, green: color.green, blue: color.blue, alpha: alpha)
    }
}
