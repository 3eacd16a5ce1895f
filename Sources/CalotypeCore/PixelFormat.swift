/// How the bytes of a pixel are laid out; alpha not multiplied into the colours.
///
/// An image has the smallest of the formats of 8 bits that holds its source: an opaque photograph 3 bytes a
/// pixel, a scanned page 1. Those of 16 bits come of a decode that is told to keep depth.
public enum PixelFormat: String, Hashable, Sendable, CaseIterable {
    /// One byte: gray.
    case gray8

    /// Three bytes: red, green, blue.
    case rgb8

    /// Four bytes: red, green, blue, alpha.
    case rgba8

    /// Eight bytes: red, green, blue, alpha, each an integer of 16 bits in the order of the machine.
    case rgba16

    /// Eight bytes: red, green, blue, alpha, each a half float (IEC 60559 binary16) in the order of the
    /// machine; 1 is white, and colours may lie beyond 0...1.
    case rgbaF16

    /// Those of 8 bits a channel, which an ordinary decode gives.
    public static let ofEightBits: [PixelFormat] = [.gray8, .rgb8, .rgba8]

    /// Bytes a pixel: 1, 3, 4 or 8.
    public var bytesPerPixel: Int {
        switch self {
        case .gray8: 1
        case .rgb8: 3
        case .rgba8: 4
        case .rgba16, .rgbaF16: 8
        }
    }
}
