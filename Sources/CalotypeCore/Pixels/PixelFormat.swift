/// The byte layout of a pixel, with straight alpha.
///
/// An image has the smallest 8-bit format that represents its source: an opaque photograph takes 3 bytes a
/// pixel, a scanned page 1. Formats of 16 bits result only from a decode that retains depth.
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

    /// The formats of 8 bits a channel, the results of an ordinary decode.
    public static let eightBitFormats: [PixelFormat] = [.gray8, .rgb8, .rgba8]

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
