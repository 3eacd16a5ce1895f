package import CalotypeCore

extension VipsPicture {
    /// The picture at another size, which is exact; colours count by their alpha.
    ///
    /// - Parameters:
    ///   - size: Width and height of the result.
    ///   - kernel: How pixels are weighed: `nearest`, `linear`, `cubic` or `lanczos3`.
    /// - Returns: The picture, 8 bits a band.
    /// - Precondition: `size` is not empty.
    /// - Throws: What libvips said, where it fails.
    package func resized(to size: PixelSize, kernel: String = "lanczos3") throws(CodecFailure) -> VipsPicture
    {
        precondition(!size.isEmpty, "an image has at least one pixel")
        return try mixing(premultiplies: kernel != "nearest") { picture throws(CodecFailure) in
            try picture.stretched(to: size, kernel: kernel)
        }
    }

    /// The picture at another size, band by band: alpha is to be multiplied in already, where there is one.
    ///
    /// Enlarging, `lanczos3` is as `cubic`. With `nearest` each pixel is the one under its centre.
    ///
    /// `vips_resize` makes pictures smaller only: what it enlarges is shifted by half a pixel, a side that
    /// stays as it is by half a pixel too, and with `nearest` it goes by corners.
    ///
    /// - Parameters:
    ///   - size: Width and height of the result, not empty.
    ///   - kernel: How pixels are weighed: `nearest`, `linear`, `cubic` or `lanczos3`.
    /// - Returns: The picture, in the number format that it has.
    /// - Throws: What libvips said, where it fails.
    package func stretched(to size: PixelSize, kernel: String) throws(CodecFailure) -> VipsPicture {
        if kernel == "nearest" { return try pickingNearest(size) }
        let narrowed = try reduced(to: size, kernel: kernel)
        let old = narrowed.size
        guard size != old else { return narrowed }
        let (across, down) = (
            Double(size.width) / Double(old.width), Double(size.height) / Double(old.height)
        )
        // Centres of pixels lie half a pixel from their corners, before and after.
        return try narrowed.applying(
            .affine,
            [
                .numbers("matrix", [across, 0, 0, down]),
                .text("interpolate", kernel == "linear" ? "bilinear" : "bicubic"),
                .integers("oarea", [0, 0, size.width, size.height]),
                .number("idx", 0.5), .number("idy", 0.5), .number("odx", -0.5), .number("ody", -0.5),
                .text("extend", "copy"), .flag("premultiplied", true),
            ]
        )
    }

    /// No side longer than that of `size`; shorter ones stay.
    private func reduced(to size: PixelSize, kernel: String) throws(CodecFailure) -> VipsPicture {
        let old = self.size
        guard size.width < old.width || size.height < old.height else { return self }
        return try applying(
            .resize,
            [
                .number("scale", min(1, Double(size.width) / Double(old.width))),
                .number("vscale", min(1, Double(size.height) / Double(old.height))),
                .text("kernel", kernel),
            ]
        )
    }

    /// The pixel under the centre of each new one.
    private func pickingNearest(_ size: PixelSize) throws(CodecFailure) -> VipsPicture {
        // A side that gets shorter does so first: else between a line and a column there would be a square.
        let narrows = size.width < self.size.width
        let width = narrows ? size.width : self.size.width
        let height = narrows ? self.size.height : size.height
        return try picking(PixelSize(width: width, height: height)).picking(size)
    }

    /// What is to grow is first enlarged by a whole factor, which copies pixels.
    private func picking(_ size: PixelSize) throws(CodecFailure) -> VipsPicture {
        let old = self.size
        let (across, down) = (
            (size.width + old.width - 1) / old.width, (size.height + old.height - 1) / old.height
        )
        return try applying(.zoom, [.integer("xfac", across), .integer("yfac", down)]).applying(
            .reduce,
            [
                .number("hshrink", Double(old.width * across) / Double(size.width)),
                .number("vshrink", Double(old.height * down) / Double(size.height)),
                .text("kernel", "nearest"),
            ]
        )
    }

    /// Applies what mixes the colours of several pixels: alpha is multiplied in before and out after, so that
    /// what is transparent lends no colour.
    ///
    /// - Parameters:
    ///   - premultiplies: Whether alpha is multiplied in at all, where there is one.
    ///   - body: What mixes; gets floating point where alpha is multiplied in.
    /// - Returns: The result, rounded to 8 bits a band.
    /// - Throws: What `body` throws.
    package func mixing(
        premultiplies: Bool = true,
        _ body: (VipsPicture) throws(CodecFailure) -> VipsPicture
    ) throws(CodecFailure) -> VipsPicture {
        guard hasAlpha, premultiplies else { return try body(self).rounded() }
        return try body(try applying(.premultiply)).applying(.unpremultiply).rounded()
    }

    /// The values rounded to the nearest integer, and clamped to 0...255.
    package func rounded() throws(CodecFailure) -> VipsPicture {
        try applying(.round, [.text("round", "rint")]).applying(.cast, [.text("format", "uchar")])
    }
}
