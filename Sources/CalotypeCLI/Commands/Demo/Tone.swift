/// A colour to compute with: channels 0...255, not clamped before it is written.
struct Tone {
    var red: Float
    var green: Float
    var blue: Float

    init(_ red: Float, _ green: Float, _ blue: Float) {
        self.red = red
        self.green = green
        self.blue = blue
    }

    /// A colour of the given hue, each 0...1.
    init(hue: Float, saturation: Float, brightness: Float) {
        func channel(_ offset: Float) -> Float {
            let position = (hue * 6 + offset).truncatingRemainder(dividingBy: 6)
            let part = max(0, min(1, min(position, 4 - position)))
            return 255 * brightness * (1 - saturation * part)
        }
        self.init(channel(5), channel(3), channel(1))
    }

    /// The colour on the way to another; 0 is here, 1 there.
    func mixed(with other: Tone, _ share: Float) -> Tone {
        Tone(
            red + (other.red - red) * share,
            green + (other.green - green) * share,
            blue + (other.blue - blue) * share
        )
    }

    /// The colour with light added to or taken from all channels.
    func lit(by light: Float) -> Tone {
        Tone(red + light, green + light, blue + light)
    }

    /// Writes three bytes.
    func write(to bytes: UnsafeMutableRawBufferPointer, at offset: Int) {
        bytes[offset] = Self.byte(red)
        bytes[offset + 1] = Self.byte(green)
        bytes[offset + 2] = Self.byte(blue)
    }

    private static func byte(_ value: Float) -> UInt8 {
        UInt8(max(0, min(255, value)))
    }
}
