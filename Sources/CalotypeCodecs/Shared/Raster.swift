import CCodecs
import CalotypeCore

/// Decoded pixels before they become an image.
struct Raster {
    let size: PixelSize
    let format: PixelFormat
    let pixels: PixelBuffer
    /// The part of the pixels that the image covers.
    let extent: Extent

    /// A width and a height in pixels and fractions of them.
    ///
    /// After a decode at a fraction it is up to a pixel less than the size: the last pixel of a side extends
    /// beyond the edge.
    struct Extent: Equatable {
        let width: Double
        let height: Double

        /// All pixels.
        init(_ size: PixelSize) {
            self.init(size, eighths: 8)
        }

        /// The extent of `size` pixels that are decoded at a number of eighths.
        init(_ size: PixelSize, eighths: Int) {
            width = Double(size.width * eighths) / 8
            height = Double(size.height * eighths) / 8
        }
    }

    /// Allocates the pixels once and lets `fill` write all rows.
    init<Failure: Error>(
        size: PixelSize,
        format: PixelFormat,
        extent: Extent? = nil,
        filledBy fill: (cc_rows) throws(Failure) -> Void
    ) throws(Failure) {
        let rowByteCount = size.width * format.bytesPerPixel
        self.size = size
        self.format = format
        self.extent = extent ?? Extent(size)
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

    /// Wraps existing pixels.
    init(size: PixelSize, format: PixelFormat, pixels: PixelBuffer) {
        self.size = size
        self.format = format
        self.pixels = pixels
        extent = Extent(size)
    }

    /// Allocates the pixels of an image of `size` that is decoded at a number of eighths, for `fill`.
    init<Failure: Error>(
        _ size: PixelSize,
        eighths: Int,
        format: PixelFormat,
        filledBy fill: (cc_rows) throws(Failure) -> Void
    ) throws(Failure) {
        try unsafe self.init(
            size: size.decoded(eighths: eighths),
            format: format,
            extent: Extent(size, eighths: eighths),
            filledBy: fill
        )
    }
}

extension PixelSize {
    /// The size in eighths, rounded up like libjpeg.
    func decoded(eighths: Int) -> PixelSize {
        PixelSize(width: (width * eighths + 7) / 8, height: (height * eighths + 7) / 8)
    }
}
