package import CalotypeCore

/// How large a transform may make an image.
package enum ResultLimit {
    /// The most pixels of a result that is larger than its source: as many as are decoded by default.
    static let pixelCountMax = DecodeLimits().pixelCountMax

    /// The longest side: what libvips and most formats hold with room to spare.
    static let sideMax = 1_000_000

    /// Checks the size of a result before any of its pixels is made.
    ///
    /// - Parameters:
    ///   - size: Of the result.
    ///   - source: Of what it is made of; a result that is not larger always passes.
    /// - Throws: ``TransformError`` with `emptyResult` or `limitExceeded`.
    static func check(_ size: PixelSize, of source: PixelSize) throws(TransformError) {
        guard !size.isEmpty else {
            throw TransformError(.emptyResult, detail: "nothing would be left of \(source) pixels")
        }
        guard allows(size, of: source) else {
            throw TransformError(
                .limitExceeded,
                detail: "a result of \(size) pixels; the most are \(pixelCountMax)"
            )
        }
    }

    /// Whether a transform may make this of an image.
    package static func allows(_ size: PixelSize, of source: PixelSize) -> Bool {
        size.pixelCount <= source.pixelCount
            || size.pixelCount <= pixelCountMax && max(size.width, size.height) <= sideMax
    }
}
