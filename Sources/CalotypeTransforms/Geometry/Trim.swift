public import CalotypeCore

/// Removes a border of one colour.
///
/// `vips_find_trim` is not used: it smooths the picture first, by which lines of one pixel are lost, and
/// takes what is transparent for a colour.
struct Trim: PartFinding {
    /// `nil`: that of the top left pixel.
    let color: RGBAColor?
    let tolerance: Int

    var cacheIdentity: String {
        Identity("trim").with("color", color?.hex ?? "topLeft").with("tolerance", tolerance).text
    }

    var keepsDepth: Bool { true }

    func validate() throws(TransformError) {
        guard (0...255).contains(tolerance) else {
            throw .invalid("a tolerance of \(tolerance) levels; it is 0...255")
        }
    }

    /// Code of our own looks for it.
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
    /// Removes the border of one colour: all rows and columns at the edges in which no pixel differs.
    ///
    /// Colours are compared as they are seen, multiplied by alpha; a border that is transparent is removed
    /// whatever its colours are. Where nothing would be left, as of an image of one colour, the image stays
    /// as it is. Of an animation the first frame decides.
    ///
    /// - Parameters:
    ///   - color: The colour of the border; unless set that of the top left pixel.
    ///   - tolerance: By how many of 255 levels any channel, or alpha, may differ; 0...255, 10 unless set.
    /// - Returns: The transform.
    public static func trim(color: RGBAColor? = nil, tolerance: Int = 10) -> TransformChain {
        TransformChain(Trim(color: color, tolerance: tolerance))
    }
}
