import CalotypeCodecs
import CalotypeCore

extension VipsPicture {
    /// The picture at another size, which is exact.
    ///
    /// - Precondition: `size` is not empty.
    func resampled(
        to size: PixelSize,
        kernel: ResamplingKernel,
        inLinearLight: Bool
    ) throws(CodecFailure) -> VipsPicture {
        if kernel == .nearest { return try pickingNearest(size) }
        guard inLinearLight else { return try resized(to: size, kernel: kernel.rawValue) }
        let alpha: [VipsArgument] = [.number("max-alpha", 255)]
        // Floating point; alpha stays as it is.
        var light = try applying(.colourspace, [.text("space", "scrgb")])
        if hasAlpha { light = try light.applying(.premultiply, alpha) }
        light = try light.stretched(to: size, kernel: kernel)
        if hasAlpha {
            // Colours are rounded on the way back, alpha is cut off.
            light = try light.applying(.unpremultiply, alpha)
                .applying(.linear, [.numbers("a", [1, 1, 1, 1]), .numbers("b", [0, 0, 0, 0.5])])
        }
        return try light.applying(
            .colourspace,
            [.text("space", bandCount < 3 ? "b-w" : "srgb"), .text("source-space", "scrgb")]
        )
    }

    private func stretched(
        to size: PixelSize,
        kernel: ResamplingKernel
    ) throws(CodecFailure) -> VipsPicture {
        try applying(
            .resize,
            [
                .number("scale", Double(size.width) / Double(self.size.width)),
                .number("vscale", Double(size.height) / Double(self.size.height)),
                .text("kernel", kernel.rawValue),
            ]
        )
    }

    /// The pixel under the centre of each new one.
    ///
    /// `vips_resize` picks others: it takes the first of each group, or rounds down from the corner of a
    /// pixel. So what is to grow is first enlarged by a whole factor, which copies pixels, and
    /// `vips_reduce` goes by the centres.
    private func pickingNearest(_ size: PixelSize) throws(CodecFailure) -> VipsPicture {
        let (across, down) = (
            (size.width + self.size.width - 1) / self.size.width,
            (size.height + self.size.height - 1) / self.size.height
        )
        return try applying(.zoom, [.integer("xfac", across), .integer("yfac", down)]).applying(
            .reduce,
            [
                .number("hshrink", Double(self.size.width * across) / Double(size.width)),
                .number("vshrink", Double(self.size.height * down) / Double(size.height)),
                .text("kernel", "nearest"),
            ]
        )
    }
}
