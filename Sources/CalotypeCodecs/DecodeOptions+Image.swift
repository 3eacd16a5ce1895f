public import CalotypeCore

extension DecodeOptions {
    /// The image that these options ask for, made from one that has been decoded whole: the last step of a
    /// decoder of one's own.
    ///
    /// It has the size of the target and the scale. Where the metadata state an orientation, the pixels are
    /// taken as stored, and turned unless the options decline that. Colours and frames are as they were; more
    /// than 8 bits are rounded unless the options keep depth.
    ///
    /// - Parameters:
    ///   - decoded: All pixels, as stored.
    ///   - format: The format that they were decoded from.
    ///   - frameCount: The number of frames, which share the bytes of a target in bytes; 1 for a still.
    /// - Returns: The image; it shares the pixels where there is nothing to do.
    /// - Throws: `DecodeError` with `outOfMemory` where there is no memory for the result.
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
