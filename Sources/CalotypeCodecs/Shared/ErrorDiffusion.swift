/// Diffuses the errors of a palette's colours in alternating directions, so that they do not form lines.
///
/// - SeeAlso: Floyd and Steinberg, "An adaptive algorithm for spatial greyscale", SID 17, 1976.
enum ErrorDiffusion {
    /// Visits the pixels of an image row by row.
    ///
    /// - Parameters:
    ///   - pixelCount: The number of pixels.
    ///   - width: The number of pixels of a row.
    ///   - choose: Chooses the colour of a pixel, from its index and the errors of its neighbours in
    ///     sixteenths of a level; returns its own error in levels, or `nil` for none.
    @inline(__always)
    static func run(
        pixelCount: Int,
        width: Int,
        _ choose: (_ index: Int, _ errors: SIMD4<Int32>) -> SIMD4<Int32>?
    ) {
        // In sixteenths of a level, with an entry on each side for errors beyond the edge.
        var own = [SIMD4<Int32>](repeating: .zero, count: width + 2)
        var next = own
        for row in 0..<pixelCount / max(1, width) {
            let step = row.isMultiple(of: 2) ? 1 : -1
            var x = step > 0 ? 0 : width - 1
            for _ in 0..<width {
                if let error = choose(row * width + x, own[x + 1]) {
                    own[x + 1 + step] &+= error &* 7
                    next[x + 1 - step] &+= error &* 3
                    next[x + 1] &+= error &* 5
                    next[x + 1 + step] &+= error
                }
                x += step
            }
            swap(&own, &next)
            for index in next.indices { next[index] = .zero }
        }
    }

    /// Returns a colour with errors in sixteenths of a level added, rounded; it may be out of range.
    @inline(__always)
    static func added(_ errors: SIMD4<Int32>, to color: SIMD4<Int32>) -> SIMD4<Int32> {
        color &+ ((errors &+ SIMD4(repeating: 8)) &>> SIMD4(repeating: 4))
    }
}
