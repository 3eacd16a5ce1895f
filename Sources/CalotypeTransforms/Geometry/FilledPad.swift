import CalotypeCodecs
public import CalotypeCore

/// The area around an image that is smaller than its canvas, made of the image itself.
public enum PadBackdrop: Hashable, Sendable, Codable {
    /// The mean colour of the image, opaque.
    case averageColor
    /// The image, blurred by a Gaussian and stretched to the canvas.
    ///
    /// - Parameter sigma: The standard deviation in pixels of the image; above 0, at most 200.
    case blurred(sigma: Double)
}

/// Adds pixels made of the image around it.
struct FilledPad: NamedTransform, SizeChanging {
    let size: PixelSize
    let gravity: Gravity
    let backdrop: PadBackdrop
    /// Whether the backdrop is visible through the image too.
    let fillsTransparency: Bool

    var cacheIdentity: String {
        let identity = Identity("filledPad").with("size", size).with("gravity", gravity.rawValue)
        let filled =
            switch backdrop {
            case .averageColor: identity.with("with", "averageColor")
            case .blurred(let sigma): identity.with("blurred", sigma)
            }
        return filled.with("transparency", fillsTransparency).text
    }

    func validate() throws(TransformError) {
        try size.checkSides(of: "padding")
        if case .blurred(let sigma) = backdrop { try Blur(sigma: sigma).validate() }
    }

    func resultSize(of size: PixelSize) throws(TransformError) -> PixelSize {
        let canvas = PixelSize(
            width: max(self.size.width, size.width),
            height: max(self.size.height, size.height)
        )
        try ResultLimit.check(canvas, of: size)
        return canvas
    }

    func apply(to image: Image) throws -> Image {
        try validate()
        let canvas = try resultSize(of: image.size)
        let isTransparent = fillsTransparency && image.pixelFormat == .rgba8
        guard canvas != image.size || isTransparent else { return image.firstFrame }
        switch backdrop {
        case .averageColor:
            let mean = try image.averageColor()
            let color = RGBColor(red: mean.red, green: mean.green, blue: mean.blue)
            let padded = try Pad(room: .size(canvas, gravity), color: RGBAColor(color)).apply(to: image)
            return try isTransparent ? Flatten(background: color).apply(to: padded) : padded
        case .blurred(let sigma):
            let origin = gravity.origin(of: image.size, in: canvas)
            return try image.computed { picture in
                let behind = try picture.mixing { picture throws(CodecFailure) in
                    try picture.underGaussian(sigma: sigma).stretched(to: canvas, kernel: "linear")
                }
                guard isTransparent else {
                    let place: [VipsArgument] = [.integer("x", origin.x), .integer("y", origin.y)]
                    return try behind.applying(.insert, [.picture("sub", picture)] + place)
                }
                return try behind.composited(with: picture, x: origin.x, y: origin.y, bandCount: 4).rounded()
            }
        }
    }
}

extension TransformChain {
    /// Adds pixels made of the image itself around an image that is smaller than a size; crops nothing.
    ///
    /// A longer side is unchanged. Each frame of an animation has its own backdrop.
    ///
    /// - Parameters:
    ///   - size: Width and height in pixels, at least 1 each.
    ///   - gravity: The position of the image; the middle by default.
    ///   - backdrop: The new pixels.
    ///   - fillsTransparency: True to put the backdrop behind transparent pixels of the image too; false by
    ///     default.
    /// - Returns: The transform, which throws ``TransformError`` with `limitExceeded` if the result would
    ///   have more than 100 million pixels.
    public static func pad(
        to size: PixelSize,
        gravity: Gravity = .center,
        backdrop: PadBackdrop,
        fillsTransparency: Bool = false
    ) -> TransformChain {
        TransformChain(
            FilledPad(
                size: size,
                gravity: gravity,
                backdrop: backdrop,
                fillsTransparency: fillsTransparency
            )
        )
    }
}
