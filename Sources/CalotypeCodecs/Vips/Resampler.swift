import CCodecs
package import CalotypeCore

/// Resampling through libvips: Lanczos 3, colours counted by their alpha.
package enum Resampler {
    /// The image at another size, which is exact; scale, format and metadata stay.
    ///
    /// - Precondition: `size` is not empty.
    /// - Throws: What libvips said, where it fails.
    package static func resize(_ image: Image, to size: PixelSize) throws(CodecFailure) -> Image {
        let raster = Raster(size: image.size, format: image.pixelFormat, pixels: image.pixels)
        let resized = try resize(raster, to: size)
        return Image(
            size: size,
            pixelFormat: resized.format,
            pixels: resized.pixels,
            scale: image.scale,
            format: image.format,
            metadata: image.metadata
        )
    }

    static func resize(_ source: Raster, to size: PixelSize) throws(CodecFailure) -> Raster {
        precondition(!size.isEmpty, "an image has at least one pixel")
        guard size != source.size else { return source }
        return try unsafe Raster(size: size, format: source.format) { rows throws(CodecFailure) in
            let failure = unsafe source.pixels.withUnsafeBytes { bytes in
                unsafe CodecFailure.of { message in
                    var image = unsafe cc_vips_image(
                        pixels: bytes.baseAddress?.assumingMemoryBound(to: UInt8.self),
                        width: UInt32(source.size.width),
                        height: UInt32(source.size.height),
                        bytes_per_pixel: UInt32(source.format.bytesPerPixel)
                    )
                    return unsafe cc_vips_resize(
                        &image,
                        UInt32(size.width),
                        UInt32(size.height),
                        rows.bytes,
                        message
                    )
                }
            }
            if let failure { throw failure }
        }
    }
}
