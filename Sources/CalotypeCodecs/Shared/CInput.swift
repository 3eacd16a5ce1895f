import CCodecs
import CalotypeCore

extension cc_bytes {
    /// Creates a C structure for bytes, which must outlive its use.
    init(_ bytes: UnsafeRawBufferPointer) {
        unsafe self.init(start: bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), count: bytes.count)
    }
}

extension cc_pixels {
    /// Creates a C structure for pixels, whose bytes must outlive its use.
    init(_ bytes: UnsafeRawBufferPointer, _ size: PixelSize, _ format: PixelFormat) {
        unsafe self.init(
            bytes: bytes.baseAddress?.assumingMemoryBound(to: UInt8.self),
            width: UInt32(size.width),
            height: UInt32(size.height),
            bytes_per_pixel: UInt32(format.bytesPerPixel),
            is_float: format == .rgbaF16 ? 1 : 0,
            profile: cc_bytes(),
            primaries: 0,
            transfer: 0,
            exif: cc_bytes(),
            xmp: cc_bytes(),
            iptc: cc_bytes()
        )
    }
}
