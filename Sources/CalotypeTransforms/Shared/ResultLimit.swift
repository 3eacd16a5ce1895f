package import CalotypeCore

/// The maximum size of a transformed image.
package enum ResultLimit {
    /// The maximum pixels of a result larger than its source: the default limit of a decode.
    static let maxPixelCount = DecodeLimits().maxPixelCount

    /// The longest side in pixels, within the limits of libvips and most formats.
    static let maxSide = 1_000_000

    /// Checks the size of a result before any of its pixels is computed.
    ///
    /// - Parameters:
    ///   - size: The size of the result.
    ///   - source: The size of the input; a result that is not larger always passes.
    /// - Throws: ``TransformError`` with `emptyResult` or `limitExceeded`.
    static func check(_ size: PixelSize, of source: PixelSize) throws(TransformError) {
        guard !size.isEmpty else {
            throw TransformError(.emptyResult, detail: "no pixel would be left of \(source)")
        }
        guard allows(size, of: source) else {
            throw TransformError(
                .limitExceeded,
                detail: "a result of \(size) pixels is too large; the maximum is \(maxPixelCount)"
            )
        }
    }

    package static func allows(_ size: PixelSize, of source: PixelSize) -> Bool {
        size.pixelCount <= source.pixelCount
            || size.pixelCount <= maxPixelCount && max(size.width, size.height) <= maxSide
    }
}
