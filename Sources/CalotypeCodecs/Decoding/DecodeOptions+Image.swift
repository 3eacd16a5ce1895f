public import CalotypeCore

extension DecodeOptions {
    /// Applies these options to an image that has been decoded in full: the last step of a custom decoder.
    ///
    /// The result has the size of the target and the scale of the options. If the metadata state an
    /// orientation, the pixels are expected as stored, and are turned unless the options decline that.
    /// Colours and frames are unchanged; more than 8 bits are rounded unless the options retain depth.
    ///
    /// - Parameters:
    ///   - decoded: All pixels, as stored.
    ///   - format: The format of the file.
    ///   - frameCount: The number of frames, which share the bytes of a target in bytes; 1 for a still.
    /// - Returns: The image; it shares the pixels if nothing has to be changed.
    /// - Throws: `DecodeError` with `outOfMemory`.
    public func image(
        from decoded: Image,
        format: ImageFormat,
        frameCount: Int = 1
    ) throws(DecodeError) -> Image {
        let decoded = keepsDepth ? decoded : try decoded.reducedToEightBits()
        let plan = DecodePlan(
            decoded.size,
            orientation: decoded.metadata.orientation,
            hasColorProfile: decoded.metadata.hasColorProfile,
            frameCount: frameCount,
            colorSpace: decoded.metadata.colorSpace,
            isDeep: decoded.pixelFormat.isDeep,
            copyright: decoded.metadata.copyright,
            options: self
        )
        let raster = Raster(size: decoded.size, format: decoded.pixelFormat, pixels: decoded.pixels)
        return try plan.image(from: raster, format: format)
    }
}
