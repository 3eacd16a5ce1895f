import CalotypeSupport

/// Conversion between sRGB levels and linear light (IEC 61966-2-1).
enum SRGBCurve {
    /// Returns the linear light of a level, 0...1.
    static func light(_ level: UInt8) -> Double {
        let value = Double(level) / 255
        return value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)
    }

    /// Returns the level nearest to an amount of light, which is clamped to 0...1.
    static func level(_ light: Double) -> UInt8 {
        let light = min(1, max(0, light))
        let value = light <= 0.0031308 ? light * 12.92 : 1.055 * pow(light, 1 / 2.4) - 0.055
        return UInt8((value * 255).rounded())
    }
}
