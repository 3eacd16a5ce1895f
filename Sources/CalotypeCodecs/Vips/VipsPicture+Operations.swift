package import CalotypeCore

extension VipsPicture {
    /// Resizes the picture to exactly a size; colours are weighted by alpha.
    ///
    /// - Parameters:
    ///   - size: Width and height of the result.
    ///   - kernel: The interpolation: `nearest`, `linear`, `cubic` or `lanczos3`.
    /// - Returns: The picture, 8 bits a band.
    /// - Precondition: `size` is not empty.
    /// - Throws: The error of libvips.
    package func resized(to size: PixelSize, kernel: String = "lanczos3") throws(CodecFailure) -> VipsPicture
    {
        precondition(!size.isEmpty, "an image has at least one pixel")
        return try mixing(premultiplies: kernel != "nearest") { picture throws(CodecFailure) in
            try picture.stretched(to: size, kernel: kernel)
        }
    }

    /// Resizes the picture band by band; alpha has to be premultiplied, if there is any.
    ///
    /// For enlarging, `lanczos3` equals `cubic`. With `nearest` each pixel is the one under its centre.
    ///
    /// `vips_resize` is used for reductions only: its enlargements are shifted by half a pixel, and so is a
    /// side of unchanged length; with `nearest` it samples at corners.
    ///
    /// - Parameters:
    ///   - size: Width and height of the result, not empty.
    ///   - kernel: The interpolation: `nearest`, `linear`, `cubic` or `lanczos3`.
    /// - Returns: The picture, in its own number format.
    /// - Throws: The error of libvips.
    package func stretched(to size: PixelSize, kernel: String) throws(CodecFailure) -> VipsPicture {
        if kernel == "nearest" { return try pickingNearest(size) }
        let narrowed = try reduced(to: size, kernel: kernel)
        let old = narrowed.size
        guard size != old else { return narrowed }
        let (across, down) = (
            Double(size.width) / Double(old.width), Double(size.height) / Double(old.height)
        )
        // Pixel centres are half a pixel from their corners, before and after.
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

    /// Reduces sides that are longer than those of `size`; shorter ones are unchanged.
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

    /// Selects the pixel under the centre of each new one.
    private func pickingNearest(_ size: PixelSize) throws(CodecFailure) -> VipsPicture {
        // Reduce a side first: otherwise the intermediate picture of a line and a column would be a square.
        let narrows = size.width < self.size.width
        let width = narrows ? size.width : self.size.width
        let height = narrows ? self.size.height : size.height
        return try picking(PixelSize(width: width, height: height)).picking(size)
    }

    /// Enlarges by a whole factor first, which copies pixels.
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

    /// Applies an operation that mixes the colours of several pixels, with premultiplied alpha, so that
    /// transparent pixels do not contribute colour.
    ///
    /// - Parameters:
    ///   - premultiplies: True to premultiply alpha, if there is any.
    ///   - body: The operation; receives floating point if alpha is premultiplied.
    /// - Returns: The result, rounded to 8 bits a band.
    /// - Throws: The error of `body`.
    package func mixing(
        premultiplies: Bool = true,
        _ body: (VipsPicture) throws(CodecFailure) -> VipsPicture
    ) throws(CodecFailure) -> VipsPicture {
        guard hasAlpha, premultiplies else { return try body(self).rounded() }
        return try body(try applying(.premultiply)).applying(.unpremultiply).rounded()
    }

    /// Rounds the values to the nearest integer, and clamps them to 0...255.
    package func rounded() throws(CodecFailure) -> VipsPicture {
        try applying(.round, [.text("round", "rint")]).applying(.cast, [.text("format", "uchar")])
    }
}
