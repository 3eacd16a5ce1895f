import CalotypeCore

extension DecodePlan {
    /// Returns the visible part of an image of which some rows have arrived.
    ///
    /// Rows that resampling would mix with missing ones are omitted. If the image is turned, no row is
    /// complete before all have arrived.
    ///
    /// - Parameters:
    ///   - decoded: The pixels; missing rows are zero.
    ///   - rowCount: The number of available rows, from the top.
    ///   - format: The format of the file.
    /// - Returns: The image in its final size, and the number of available rows in it.
    /// - Throws: `DecodeError` if the pixels cannot be resampled.
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
            // Lanczos 3 covers three rows of the result on each side.
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
    /// Returns the image with rows of zeros from `row` on.
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
