import CalotypeCore

/// The decoded canvas of a first frame, weakly held: while its pixels exist, playing the animation need not
/// decode it a second time.
struct DecodedCanvas: Sendable {
    private let size: PixelSize
    private let format: PixelFormat
    private weak let pixels: PixelBuffer?

    init(_ raster: Raster) {
        (size, format, pixels) = (raster.size, raster.format, raster.pixels)
    }

    /// The canvas; `nil` once its pixels have been released.
    var raster: Raster? {
        pixels.map { Raster(size: size, format: format, pixels: $0) }
    }
}
