public import CalotypeCore

/// Removes a border of one colour.
///
/// `vips_find_trim` is not used: it smooths the image first, which loses lines of one pixel, and treats
/// transparent pixels as coloured.
struct Trim: PartFinding {
    /// The colour of the border; `nil` for that of the top left pixel.
    let color: RGBAColor?
    let tolerance: Int

    var cacheIdentity: String {
        Identity("trim").with("color", color?.hex ?? "topLeft").with("tolerance", tolerance).text
    }

    var keepsDepth: Bool { true }

    func validate() throws(TransformError) {
        guard (0...255).contains(tolerance) else {
            throw .invalid("trim tolerance \(tolerance) is out of range; use 0...255 levels")
        }
    }

    /// The scan is written in Swift.
    func usesLibrary(for size: PixelSize) -> Bool { false }

    func part(of frame: Image) throws -> PixelRect {
        try validate()
        let frame = try TransformError.rethrowing { () throws(DecodeError) in try frame.reducedToEightBits() }
        let content = frame.pixels.withUnsafeBytes { bytes in
            BorderScan(frame, bytes, color: color, tolerance: tolerance).content
        }
        return content ?? PixelRect(frame.size)
    }
}

extension TransformChain {
    /// Removes the border of one colour: all rows and columns at the edges without a differing pixel.
    ///
    /// Colours are compared premultiplied by alpha; a transparent border is removed regardless of its
    /// colours. If nothing would be left, as with an image of one colour, the image is unchanged. For an
    /// animation the first frame decides.
    ///
    /// - Parameters:
    ///   - color: The colour of the border; by default that of the top left pixel.
    ///   - tolerance: The maximum difference of any channel, or alpha, in levels; 0...255, 10 by default.
    /// - Returns: The transform.
    public static func trim(color: RGBAColor? = nil, tolerance: Int = 10) -> TransformChain {
        TransformChain(Trim(color: color, tolerance: tolerance))
    }
}
