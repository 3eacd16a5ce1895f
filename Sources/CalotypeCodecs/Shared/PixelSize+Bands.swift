import CalotypeCore

extension PixelSize {
    /// Calls `body` with the rows of an image from the top, 64 at a time, and checks before each call whether
    /// the work has to stop.
    ///
    /// - Throws: `DecodeError` if it has, or the error of `body`.
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
