import CalotypeCodecs
import CalotypeCore

extension VipsPicture {
    /// Returns the picture at exactly another size.
    ///
    /// - Precondition: `size` is not empty; in linear light the kernel is not `nearest`.
    func resampled(
        to size: PixelSize,
        kernel: ResamplingKernel,
        inLinearLight: Bool
    ) throws(CodecFailure) -> VipsPicture {
        guard inLinearLight else { return try resized(to: size, kernel: kernel.rawValue) }
        let opaque = Self.opaqueInLinearLight
        let alpha: [VipsArgument] = [.number("max-alpha", opaque)]
        // scRGB is floating point.
        var light = try applying(.colourspace, [.text("space", "scrgb")])
        if hasAlpha { light = try light.applying(.premultiply, alpha) }
        light = try light.stretched(to: size, kernel: kernel.rawValue)
        if hasAlpha {
            // On the way back colours are rounded, but alpha is truncated.
            light = try light.applying(.unpremultiply, alpha)
                .applying(
                    .linear,
                    [.numbers("a", [1, 1, 1, 1]), .numbers("b", [0, 0, 0, opaque / 255 / 2])]
                )
        }
        return try light.applying(
            .colourspace,
            [.text("space", bandCount < 3 ? "b-w" : "srgb"), .text("source-space", "scrgb")]
        )
    }
}
