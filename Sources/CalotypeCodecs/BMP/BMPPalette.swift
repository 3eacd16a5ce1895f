import CalotypeCore
import FoundationEssentials

/// The colours of a bitmap's palette; an index beyond them is black, as in browsers.
struct BMPPalette {
    /// 256 × red, green, blue and 255.
    let colors: [UInt8]

    /// True if all colours are gray.
    let isGray: Bool

    /// Reads colours of 3 or 4 bytes: blue, green, red, and an unused byte.
    init(_ bytes: Data, colorByteCount: Int) {
        var colors: [UInt8] = []
        colors.reserveCapacity(1024)
        let bytes = [UInt8](bytes)
        var isGray = true
        for start in stride(from: 0, through: bytes.count - colorByteCount, by: colorByteCount) {
            let (blue, green, red) = (bytes[start], bytes[start + 1], bytes[start + 2])
            colors += [red, green, blue, 255]
            if red != green || green != blue { isGray = false }
        }
        self.isGray = isGray
        while colors.count < 1024 { colors += [0, 0, 0, 255] }
        self.colors = colors
    }
}
