import CalotypeCore

/// The canvas of a first frame that has been decoded, for as long as somebody else holds its pixels: who
/// plays an animation need not decode it a second time.
struct DecodedCanvas: Sendable {
    private let size: PixelSize
    private let format: PixelFormat
    private weak let pixels: PixelBuffer?

    init(_ raster: Raster) {
        (size, format, pixels) = (raster.size, raster.format, raster.pixels)
    }

    /// The canvas; `nil` where nobody holds it any more.
    var raster: Raster? {
        pixels.map { Raster(size: size, format: format, pixels: $0) }
    }
}
