import CalotypeCodecs
public import CalotypeCore

/// Another picture, laid on the picture once or as tiles.
struct Overlay: VipsTransform {
    /// The widest margin or spacing: as long as the longest side.
    static let distanceMax = ResultLimit.sideMax

    let picture: OverlayPicture
    let gravity: Gravity
    let margin: Int
    let opacity: Double
    /// Pixels between the tiles; `nil` where there is one only.
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
            throw .invalid("an overlay of opacity \(opacity); it is 0...1")
        }
        for distance in [margin, tileSpacing ?? 0] where !(0...Self.distanceMax).contains(distance) {
            throw .invalid("an overlay at a distance of \(distance) pixels; it is 0...\(Self.distanceMax)")
        }
    }

    func applied(to picture: VipsPicture) throws(CodecFailure) -> VipsPicture {
        let (layer, x, y) = try placed(in: picture.size)
        return try picture.composited(
            with: layer.fading(to: opacity),
            x: x,
            y: y,
            blend: blend,
            bandCount: bandCount(on: picture)
        ).rounded()
    }

    /// The overlay or its tiles, and where the top left corner lies.
    private func placed(in room: PixelSize) throws(CodecFailure) -> (layer: VipsPicture, x: Int, y: Int) {
        let image = picture.image
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

    /// Where the overlay lies: as if it had a clear margin around it.
    private func origin(in room: PixelSize) -> (x: Int, y: Int) {
        let size = picture.image.size
        let box = PixelSize(width: size.width + 2 * margin, height: size.height + 2 * margin)
        let origin = gravity.origin(of: box, in: room)
        return (origin.x + margin, origin.y + margin)
    }

    /// Where the first of the tiles begins of which any pixel is visible: at 0, or before it.
    private static func start(_ origin: Int, _ period: Int) -> Int {
        let rest = origin % period
        return rest > 0 ? rest - period : rest
    }

    private func bandCount(on base: VipsPicture) -> Int {
        guard !base.hasAlpha, blend.keepsOpaque else { return 4 }
        return base.bandCount == 1 && picture.image.pixelFormat == .gray8 ? 1 : 3
    }
}

extension BlendMode {
    /// Whether an opaque picture stays so under anything.
    fileprivate var keepsOpaque: Bool {
        switch self {
        case .sourceIn, .sourceOut, .xor, .destinationIn, .destinationOut, .destinationAtop: false
        default: true
        }
    }
}

extension TransformChain {
    /// Lays another image on the image: a watermark, a badge, a texture.
    ///
    /// One pixel of the overlay covers one pixel of the image, whatever the scales of the two; what of it
    /// lies beyond the edges is cut off. The size stays. An opaque image stays opaque, but for the modes of
    /// Porter and Duff that take something away; those see the overlay as transparent where it does not lie.
    ///
    /// In keys the overlay stands as SHA-256 of its pixels, which is computed here: make the transform once
    /// for many images. Of an animated overlay the first frame is taken.
    ///
    /// - Parameters:
    ///   - image: What is laid on top.
    ///   - gravity: The corner or side that it holds to; the bottom right corner unless set.
    ///   - margin: Pixels that it stays away from the sides that it holds to, 0...1,000,000; 0 unless set.
    ///   - opacity: What its alpha is multiplied by, 0...1; 1 unless set.
    ///   - isTiled: Whether it is repeated over the whole image, up and down and to both sides of its place.
    ///   - spacing: Clear pixels between the tiles, 0...1,000,000; counts for tiles only.
    ///   - blend: How its colours go together with those of the image; in front of them unless set.
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
                picture: OverlayPicture(image),
                gravity: gravity,
                margin: margin,
                opacity: opacity,
                tileSpacing: isTiled ? spacing : nil,
                blend: blend
            )
        )
    }
}
