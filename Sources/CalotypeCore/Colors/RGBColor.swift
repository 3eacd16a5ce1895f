/// An opaque sRGB colour with 8 bits a channel.
public struct RGBColor: Hashable, Sendable, Codable {
    /// Red, 0...255.
    public var red: UInt8
    /// Green, 0...255.
    public var green: UInt8
    /// Blue, 0...255.
    public var blue: UInt8

    /// Creates a colour from its channels.
    public init(red: UInt8, green: UInt8, blue: UInt8) {
        self.red = red
        self.green = green
        self.blue = blue
    }

    /// All channels 255.
    public static let white = RGBColor(red: 255, green: 255, blue: 255)

    /// All channels 0.
    public static let black = RGBColor(red: 0, green: 0, blue: 0)
}
