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
        let (width, height) = (Double(size.width), Double(size.height))
        let old = self.size
        let isNearest = kernel == "nearest"
        return try mixing(premultiplies: !isNearest) { picture throws(CodecFailure) in
            try picture.applying(
                .resize,
                [
                    .number("scale", width / Double(old.width)),
                    .number("vscale", height / Double(old.height)),
                    .text("kernel", kernel),
                ]
            )
        }
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
