import CCodecs
package import CalotypeCore

/// Resampling with Lanczos 3, colours weighted by alpha: in this module's code for reductions, which decoders
/// need, otherwise by libvips.
package enum Resampler {
    /// Resizes an image to exactly a size; scale, format and metadata are unchanged.
    ///
    /// - Parameters:
    ///   - image: The image, or its first frame.
    ///   - size: The size of the result.
    ///   - light: The mixed values; those of a decode of the image unless given.
    /// - Returns: The resized image.
    /// - Precondition: `size` is not empty.
    /// - Throws: ``CodecFailure`` for lack of memory, or if libvips fails.
    package static func resize(
        _ image: Image,
        to size: PixelSize,
        light: ResamplingLight = .automatic
    ) throws(CodecFailure) -> Image {
        guard size != image.size else { return image.firstFrame }
        let source = Raster(size: image.size, format: image.pixelFormat, pixels: image.pixels)
        let enlarges = size.width > image.size.width || size.height > image.size.height
        let inLinearLight = light.isLinear(for: image.metadata, image.format, enlarges: enlarges)
        let raster = try resize(source, to: size, inLinearLight: inLinearLight)
        return Image(
            size: raster.size,
            pixelFormat: raster.format,
            pixels: raster.pixels,
            scale: image.scale,
            format: image.format,
            metadata: image.metadata
        )
    }

    /// Enlargements of 8 bits always mix levels.
    static func resize(
        _ source: Raster,
        to size: PixelSize,
        inLinearLight: Bool
    ) throws(CodecFailure) -> Raster {
        precondition(!size.isEmpty, "an image has at least one pixel")
        guard size != source.size else { return source }
        if source.format.isDeep {
            return try DeepResampler.resize(source, to: size, inLinearLight: inLinearLight)
        }
        guard size.width <= source.size.width, size.height <= source.size.height else {
            return try VipsPicture(source).resized(to: size).raster()
        }
        return try unsafe Raster(size: size, format: source.format) { rows throws(CodecFailure) in
            try unsafe CodecFailure.check { _ in
                unsafe source.pixels.withUnsafeBytes { bytes in
                    var pixels = unsafe cc_pixels(bytes, source.size, source.format)
                    let extent = cc_extent(width: source.extent.width, height: source.extent.height)
                    let width = UInt32(size.width)
                    return unsafe cc_resample(&pixels, extent, width, rows, inLinearLight ? 1 : 0)
                }
            }
        }
    }
}
