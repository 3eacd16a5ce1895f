import CalotypeCore

/// The bits of each channel of a pixel; an empty colour mask means 0, an empty alpha mask means opaque.
struct BMPMasks: Hashable {
    var red: UInt32
    var green: UInt32
    var blue: UInt32
    var alpha: UInt32

    /// Creates the masks of pixels without bit fields: five bits a channel for 16, otherwise eight.
    init(bitsPerPixel: Int) {
        let isShort = bitsPerPixel == 16
        red = isShort ? 0x7C00 : 0xFF_0000
        green = isShort ? 0x03E0 : 0xFF00
        blue = isShort ? 0x001F : 0xFF
        alpha = 0
    }

    /// Creates masks from those of a file, each 32 bits wide.
    init(red: Int, green: Int, blue: Int, alpha: Int) throws(DecodeError) {
        for mask in [red, green, blue, alpha] where mask != 0 {
            let bits = mask >> mask.trailingZeroBitCount
            guard bits & (bits + 1) == 0 else {
                throw .corruptBMP("the bits of mask \(String(mask, radix: 16)) are not contiguous")
            }
        }
        self.red = UInt32(truncatingIfNeeded: red)
        self.green = UInt32(truncatingIfNeeded: green)
        self.blue = UInt32(truncatingIfNeeded: blue)
        self.alpha = UInt32(truncatingIfNeeded: alpha)
    }

    var hasAlpha: Bool { alpha != 0 }
}

/// One channel of pixels with bit fields, scaled to 8 bits with rounding.
struct BMPChannel {
    private let shift: UInt32
    private let max: UInt64
    private let ifAbsent: UInt8

    init(mask: UInt32, ifAbsent: UInt8) {
        shift = mask == 0 ? 0 : UInt32(mask.trailingZeroBitCount)
        max = UInt64(mask >> shift)
        self.ifAbsent = ifAbsent
    }

    func level(_ pixel: UInt32) -> UInt8 {
        guard max != 0 else { return ifAbsent }
        let value = UInt64(pixel >> shift) & max
        return UInt8(truncatingIfNeeded: max == 255 ? value : (value * 255 + max / 2) / max)
    }
}
