import CCodecs
import CalotypeCore

/// Pixels on their way from a decoder to an image.
struct Raster {
    let size: PixelSize
    let format: PixelFormat
    let pixels: PixelBuffer

    /// Allocates the pixels once and lets `fill` write all rows.
    init<Failure: Error>(
        size: PixelSize,
        format: PixelFormat,
        filledBy fill: (cc_rows) throws(Failure) -> Void
    ) throws(Failure) {
        let rowByteCount = size.width * format.bytesPerPixel
        self.size = size
        self.format = format
        pixels = try unsafe PixelBuffer(byteCount: rowByteCount * size.height) { bytes throws(Failure) in
            try unsafe fill(
                cc_rows(
                    // A raster has at least one pixel, so its buffer has an address.
                    bytes: bytes.baseAddress?.assumingMemoryBound(to: UInt8.self),
                    row_byte_count: rowByteCount,
                    row_count: UInt32(size.height)
                )
            )
        }
    }

    /// Takes pixels that exist.
    init(size: PixelSize, format: PixelFormat, pixels: PixelBuffer) {
        self.size = size
        self.format = format
        self.pixels = pixels
    }
}
