import CalotypeCodecs
public import CalotypeCore

/// Another image over the image, once or as tiles.
struct Overlay: VipsTransform {
    /// The maximum margin or spacing: the length of the longest side.
    static let maxDistance = ResultLimit.maxSide

    let picture: OverlayImage
    let gravity: Gravity
    let margin: Int
    let opacity: Double
    /// Pixels between the tiles; `nil` for a single overlay.
    let tileSpacing: Int?
    let blend: BlendMode

    var cacheIdentity: String {
        Identity("overlay")
            .with("sha256", picture.digest)
            .with("gravity", gravity.rawValue)
            .with("margin", margin)
            .with("opacity", opacity)
            .with("tileSpacing", tileSpacing.map(String.init) ?? "none")
            .with("blend", blend.rawValue)
            .text
    }

    func validate() throws(TransformError) {
        guard (0...1).contains(opacity) else {
            throw .invalid("overlay opacity \(opacity) is out of range; use 0...1")
        }
        for distance in [margin, tileSpacing ?? 0] where !(0...Self.maxDistance).contains(distance) {
            throw .invalid("overlay distance \(distance) is out of range; use 0...\(Self.maxDistance) pixels")
        }
    }

    func applied(to base: VipsPicture) throws -> VipsPicture {
        let image = try picture.image
        let (layer, x, y) = try placed(image, in: base.size)
        return try base.composited(
            with: layer.fading(to: opacity),
            x: x,
            y: y,
            blend: blend,
            bandCount: bandCount(of: image, on: base)
        ).rounded()
    }

    /// Returns the overlay or its tiles, and the position of the top left corner.
    private func placed(
        _ image: Image,
        in room: PixelSize
    ) throws(CodecFailure) -> (layer: VipsPicture, x: Int, y: Int) {
        let (x, y) = origin(in: room)
        guard let tileSpacing else { return (try VipsPicture(image).withAlpha(), x, y) }
        let period = PixelSize(
            width: image.size.width + tileSpacing,
            height: image.size.height + tileSpacing
        )
        let (startX, startY) = (Self.start(x, period.width), Self.start(y, period.height))
        let covered = PixelSize(width: room.width - startX, height: room.height - startY)
        return (try .tiles(of: image, period: period, covering: covered), startX, startY)
    }

    /// Returns the position of the overlay, with its margin around it.
    private func origin(in room: PixelSize) -> (x: Int, y: Int) {
        let size = picture.size
        let box = PixelSize(width: size.width + 2 * margin, height: size.height + 2 * margin)
        let origin = gravity.origin(of: box, in: room)
        return (origin.x + margin, origin.y + margin)
    }

    /// Returns the origin of the first tile with a visible pixel: 0 or negative.
    private static func start(_ origin: Int, _ period: Int) -> Int {
        let rest = origin % period
        return rest > 0 ? rest - period : rest
    }

    private func bandCount(of image: Image, on base: VipsPicture) -> Int {
        guard !base.hasAlpha, blend.keepsOpaque else { return 4 }
        return base.bandCount == 1 && image.pixelFormat == .gray8 ? 1 : 3
    }
}

extension BlendMode {
    /// True if an opaque image stays opaque under any overlay.
    fileprivate var keepsOpaque: Bool {
        switch self {
        case .sourceIn, .sourceOut, .xor, .destinationIn, .destinationOut, .destinationAtop: false
        default: true
        }
    }
}

extension TransformChain {
    /// Composites another image over the image: a watermark, a badge, a texture.
    ///
    /// One pixel of the overlay covers one pixel of the image, regardless of their scales; parts beyond the
    /// edges are cut off. The size is unchanged. An opaque image stays opaque, except with the modes of
    /// Porter and Duff that remove parts; these treat the overlay as transparent outside its bounds.
    ///
    /// Cache keys contain the SHA-256 of the overlay's pixels, which is computed here: create the transform
    /// once for many images. For an animated overlay the first frame is used.
    ///
    /// - Parameters:
    ///   - image: The overlay.
    ///   - gravity: The corner or side that it is aligned to; the bottom right corner by default.
    ///   - margin: Its distance in pixels from the sides that it is aligned to, 0...1,000,000; 0 by default.
    ///   - opacity: The factor of its alpha, 0...1; 1 by default.
    ///   - isTiled: True to repeat it over the whole image in all directions.
    ///   - spacing: Clear pixels between the tiles, 0...1,000,000; used for tiles only.
    ///   - blend: The blend mode; by default the overlay is in front.
    /// - Returns: The transform.
    public static func overlay(
        _ image: Image,
        gravity: Gravity = .bottomRight,
        margin: Int = 0,
        opacity: Double = 1,
        isTiled: Bool = false,
        spacing: Int = 0,
        blend: BlendMode = .sourceOver
    ) -> TransformChain {
        TransformChain(
            Overlay(
                picture: OverlayImage(image),
                gravity: gravity,
                margin: margin,
                opacity: opacity,
                tileSpacing: isTiled ? spacing : nil,
                blend: blend
            )
        )
    }
}
