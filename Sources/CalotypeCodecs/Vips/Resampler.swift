package import CalotypeCore

/// Resampling through libvips: Lanczos 3, colours counted by their alpha.
package enum Resampler {
    /// The image at another size, which is exact; scale, format and metadata stay.
    ///
    /// - Precondition: `size` is not empty.
    /// - Throws: What libvips said, where it fails.
    package static func resize(_ image: Image, to size: PixelSize) throws(CodecFailure) -> Image {
        guard size != image.size else { return image.firstFrame }
        return try VipsPicture(image).resized(to: size).image(like: image)
    }

    static func resize(_ source: Raster, to size: PixelSize) throws(CodecFailure) -> Raster {
        guard size != source.size else { return source }
        return try VipsPicture(source).resized(to: size).raster()
    }
}
