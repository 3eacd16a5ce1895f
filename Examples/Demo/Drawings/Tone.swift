/// A colour for computations: channels 0...255, clamped only when written.
struct Tone {
    var red: Float
    var green: Float
    var blue: Float

    init(_ red: Float, _ green: Float, _ blue: Float) {
        self.red = red
        self.green = green
        self.blue = blue
    }

    /// Creates a colour from hue, saturation and brightness, each 0...1.
    init(hue: Float, saturation: Float, brightness: Float) {
        func channel(_ offset: Float) -> Float {
            let position = (hue * 6 + offset).truncatingRemainder(dividingBy: 6)
            let part = max(0, min(1, min(position, 4 - position)))
            return 255 * brightness * (1 - saturation * part)
        }
        self.init(channel(5), channel(3), channel(1))
    }

    /// Returns a mixture with another colour; share 0 is this colour, 1 the other.
    func mixed(with other: Tone, _ share: Float) -> Tone {
        Tone(
            red + (other.red - red) * share,
            green + (other.green - green) * share,
            blue + (other.blue - blue) * share
        )
    }

    /// Returns the colour with light added to or removed from all channels.
    func lit(by light: Float) -> Tone {
        Tone(red + light, green + light, blue + light)
    }

    func write(to bytes: UnsafeMutableRawBufferPointer, at offset: Int) {
        bytes[offset] = Self.byte(red)
        bytes[offset + 1] = Self.byte(green)
        bytes[offset + 2] = Self.byte(blue)
    }

    private static func byte(_ value: Float) -> UInt8 {
        UInt8(max(0, min(255, value)))
    }
}
