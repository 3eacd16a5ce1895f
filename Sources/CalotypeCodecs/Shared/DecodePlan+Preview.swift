import CalotypeCore

extension DecodePlan {
    /// What can be shown of an image of which some rows have come.
    ///
    /// Rows that resampling mixes with such as have not come are left out. Where the picture is turned, no
    /// row is whole before all have come.
    ///
    /// - Parameters:
    ///   - decoded: The pixels; rows that have not come are zero.
    ///   - rowCount: How many rows of them have come, from the top.
    ///   - format: The format that they are decoded from.
    /// - Returns: The image in its final size, and how many rows of that have come.
    /// - Throws: `DecodeError` where the pixels cannot be resampled.
    func preview(
        from decoded: Raster,
        rowCount: Int,
        format: ImageFormat
    ) throws(DecodeError) -> ImagePreview {
        guard rowCount < decoded.size.height else {
            return ImagePreview(
                image: try image(from: decoded, format: format),
                rowCount: resultSize.height
            )
        }
        var (raster, shown) = (decoded, rowCount)
        if decoded.size != resultSizeBeforeTurn {
            // Lanczos 3 reaches over three rows of the result.
            let scale = decoded.extent.height / Double(resultSizeBeforeTurn.height)
            shown = max(0, Int(Double(rowCount) / scale) - 3)
            raster = try resampled(decoded, format: format).emptied(fromRow: shown)
        }
        let isUpright = orientation == .up || orientation == .upMirrored
        return ImagePreview(
            image: try image(from: raster, format: format),
            rowCount: isUpright ? shown : 0
        )
    }
}

extension Raster {
    /// The same with rows of zeros from `row` on.
    fileprivate func emptied(fromRow row: Int) throws(DecodeError) -> Raster {
        let kept = row * size.width * format.bytesPerPixel
        let part = try unsafe PixelBuffer(byteCount: pixels.byteCount) { target throws(DecodeError) in
            unsafe pixels.withUnsafeBytes { source in
                unsafe target.copyMemory(from: UnsafeRawBufferPointer(rebasing: source.prefix(kept)))
            }
            _ = unsafe target.dropFirst(kept).initializeMemory(as: UInt8.self, repeating: 0)
        }
        return Raster(size: size, format: format, pixels: part)
    }
}
