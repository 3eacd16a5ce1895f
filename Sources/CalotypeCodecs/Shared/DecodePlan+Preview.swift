import CalotypeCore

extension DecodePlan {
    /// What can be shown of an image of which some rows have come.
    ///
    /// - Parameters:
    ///   - decoded: The pixels; rows that have not come are zero.
    ///   - rowCount: How many rows of them have come, from the top.
    ///   - format: The format that they are decoded from.
    /// - Returns: The image in its final size, and how many rows of that have come.
    /// - Throws: ``DecodeError`` where the pixels cannot be resampled.
    func preview(
        from decoded: Raster,
        rowCount: Int,
        format: ImageFormat
    ) throws(DecodeError) -> ImagePreview {
        let image = try image(from: decoded, format: format)
        return ImagePreview(image: image, rowCount: shownRowCount(rowCount, of: decoded.size.height))
    }

    /// Rows as shown: where the picture is turned, none is whole before all have come.
    private func shownRowCount(_ rowCount: Int, of decodedRowCount: Int) -> Int {
        guard rowCount < decodedRowCount else { return resultSize.height }
        switch orientation {
        case .up, .upMirrored: return rowCount * resultSize.height / decodedRowCount
        default: return 0
        }
    }
}
