import CalotypeCodecs
public import CalotypeCore

/// Adds pixels of one colour around an image (`vips_embed`).
struct Pad: NamedTransform, SizeChanging {
    enum Room: Hashable, Codable {
        case size(PixelSize, Gravity)
        case insets(PixelInsets)
    }

    let room: Room
    let color: RGBAColor

    var cacheIdentity: String {
        let identity = Identity("pad")
        let room =
            switch room {
            case .size(let size, let gravity):
                identity.with("size", size).with("gravity", gravity.rawValue)
            case .insets(let insets):
                identity.with("top", insets.top).with("left", insets.left)
                    .with("bottom", insets.bottom).with("right", insets.right)
            }
        return room.with("color", color).text
    }

    func validate() throws(TransformError) {
        switch room {
        case .size(let size, _):
            try size.checkSides(of: "padding")
        case .insets(let insets):
            let all = [insets.top, insets.left, insets.bottom, insets.right]
            guard all.allSatisfy((0...ResultLimit.maxSide).contains) else {
                throw .invalid("padding by \(all) pixels is out of range; use 0...\(ResultLimit.maxSide)")
            }
        }
    }

    func apply(to image: Image) throws -> Image {
        try validate()
        // The position of the image, and the size of the result.
        let place = place(of: image.size)
        guard try resultSize(of: image.size) != image.size else { return image.firstFrame }
        let backdrop = Backdrop(color: color)
        return try image.computed { picture in
            let picture = try backdrop.prepared(picture)
            return try picture.applying(
                .embed,
                [
                    .integer("x", place.x), .integer("y", place.y),
                    .integer("width", place.width), .integer("height", place.height),
                    .text("extend", "background"), .numbers("background", backdrop.bands(of: picture)),
                ]
            )
        }
    }

    func resultSize(of size: PixelSize) throws(TransformError) -> PixelSize {
        let result = place(of: size).size
        try ResultLimit.check(result, of: size)
        return result
    }

    /// Returns the size of the result, and the origin of the image in it.
    private func place(of image: PixelSize) -> PixelRect {
        switch room {
        case .size(let size, let gravity):
            let size = PixelSize(
                width: max(size.width, image.width),
                height: max(size.height, image.height)
            )
            let origin = gravity.origin(of: image, in: size)
            return PixelRect(x: origin.x, y: origin.y, width: size.width, height: size.height)
        case .insets(let insets):
            return PixelRect(
                x: insets.left,
                y: insets.top,
                width: image.width + insets.left + insets.right,
                height: image.height + insets.top + insets.bottom
            )
        }
    }
}

extension TransformChain {
    /// Adds pixels around an image that is smaller than a size; crops nothing.
    ///
    /// A longer side is unchanged.
    ///
    /// - Parameters:
    ///   - size: Width and height in pixels, at least 1 each.
    ///   - gravity: The position of the image; the middle by default.
    ///   - color: The colour of the new pixels; transparent by default, which adds alpha to the result.
    /// - Returns: The transform, which throws ``TransformError`` with `limitExceeded` if the result would
    ///   have more than 100 million pixels.
    public static func pad(
        to size: PixelSize,
        gravity: Gravity = .center,
        color: RGBAColor = .clear
    ) -> TransformChain {
        TransformChain(Pad(room: .size(size, gravity), color: color))
    }

    /// Adds pixels at each side of an image.
    ///
    /// - Parameters:
    ///   - insets: The number of pixels at each side, 0...1,000,000.
    ///   - color: The colour of the new pixels; transparent by default, which adds alpha to the result.
    /// - Returns: The transform, which throws ``TransformError`` with `limitExceeded` if the result would
    ///   have more than 100 million pixels.
    public static func pad(by insets: PixelInsets, color: RGBAColor = .clear) -> TransformChain {
        TransformChain(Pad(room: .insets(insets), color: color))
    }
}
