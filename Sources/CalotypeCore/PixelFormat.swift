/// How the bytes of a pixel are laid out; 8 bits a channel, sRGB, alpha not multiplied into the colours.
///
/// An image has the smallest format that holds its source: an opaque photograph 3 bytes a pixel, a scanned
/// page 1.
public enum PixelFormat: String, Hashable, Sendable, CaseIterable {
    /// One byte: gray.
    case gray8

    /// Three bytes: red, green, blue.
    case rgb8

    /// Four bytes: red, green, blue, alpha.
    case rgba8

    /// Bytes a pixel: 1, 3 or 4.
    public var bytesPerPixel: Int {
        switch self {
        case .gray8: 1
        case .rgb8: 3
        case .rgba8: 4
        }
    }
}
