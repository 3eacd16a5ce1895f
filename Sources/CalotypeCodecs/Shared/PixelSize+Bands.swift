import CalotypeCore

extension PixelSize {
    /// Calls `body` with the rows of a picture from the top, 64 at a time, and looks before each time whether
    /// the work is to end.
    ///
    /// - Throws: `DecodeError` where it is, or what `body` throws.
    func forEachBand(
        _ format: ImageFormat? = nil,
        _ body: (Range<Int>) throws(DecodeError) -> Void
    ) throws(DecodeError) {
        for top in stride(from: 0, to: height, by: 64) {
            try DecodeError.checkStop(format)
            try body(top..<min(top + 64, height))
        }
    }
}
