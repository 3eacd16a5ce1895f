import CalotypeCodecs
import CalotypeCore

/// Weighted sums of neighbouring pixels (`vips_conv`), in floating point.
struct Convolution: VipsTransform {
    let kernel: ConvolutionKernel

    var cacheIdentity: String { Identity("convolution").with("kernel", kernel).text }

    func validate() throws(TransformError) { try kernel.validate() }

    func applied(to picture: VipsPicture) throws(CodecFailure) -> VipsPicture {
        guard picture.hasAlpha else {
            return try picture.recolored { colors throws(CodecFailure) in try convolved(colors) }
        }
        let alpha = try picture.applying(
            .extract_band,
            [.integer("band", picture.bandCount - 1)]
        ).applying(.linear, [.numbers("a", [1 / 255.0]), .numbers("b", [0])])
        // The weight of the invisible part of all neighbours, for which the pixel's own colour stands in.
        let absent = try convolved(alpha).applying(
            .linear,
            [.numbers("a", [-1]), .numbers("b", [kernel.sum])]
        )
        return try picture.recolored { colors throws(CodecFailure) in
            let visible = try convolved(try colors.applying(.multiply, [.picture("right", alpha)]))
            let own = try colors.applying(.multiply, [.picture("right", absent)])
            return try visible.applying(.add, [.picture("right", own)])
        }
    }

    private func convolved(_ picture: VipsPicture) throws(CodecFailure) -> VipsPicture {
        try picture.applying(.conv, [.matrix("mask", kernel.rows), .text("precision", "float")])
    }
}

extension TransformChain {
    /// Replaces each channel by the weighted sum of the pixels around it.
    ///
    /// The kernel is applied as written, without mirroring it; the edges of the image are extended outwards.
    /// The result is rounded to the nearest level and clamped. Alpha is unchanged: a neighbour counts in
    /// proportion to its alpha, and for its invisible part it has the colour of the pixel itself.
    ///
    /// - Parameter kernel: The weights.
    /// - Returns: The transform, which throws `invalidParameter` for a kernel with an even side, rows of
    ///   different lengths, or values out of range.
    public static func convolve(_ kernel: ConvolutionKernel) -> TransformChain {
        TransformChain(Convolution(kernel: kernel))
    }
}
