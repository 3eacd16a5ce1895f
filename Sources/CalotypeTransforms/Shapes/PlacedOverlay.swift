import CalotypeCodecs
package import CalotypeCore

/// The positions of an overlay along one axis, in pixels of the image.
package struct OverlayRun: Hashable, Sendable, Codable {
    /// The first position; it may be outside of the image.
    package let start: Int
    /// The distance between two positions; used only if there are several.
    package let period: Int
    package let count: Int

    /// Creates one position.
    package init(_ start: Int) { self.init(start: start, period: 0, count: 1) }

    package init(start: Int, period: Int, count: Int) {
        (self.start, self.period, self.count) = (start, period, count)
    }

    var text: String { "\(start)+\(count)x\(period)" }
}

/// Another image over the image at exact pixels: scaled, and repeated along either axis.
struct PlacedOverlay: VipsTransform {
    /// The maximum pixels of a scaled overlay, if it has more than four times those of the image.
    static let maxScaledPixelCount = 10_000_000

    /// The maximum distance of positions, within the coordinates of libvips.
    static let maxDistance = 2 * ResultLimit.maxSide

    let picture: OverlayImage
    /// The size to which the overlay is scaled.
    let size: PixelSize
    let across: OverlayRun
    let down: OverlayRun
    let opacity: Double

    var cacheIdentity: String {
        Identity("placed-overlay")
            .with("sha256", picture.digest)
            .with("size", size)
            .with("across", across.text)
            .with("down", down.text)
            .with("opacity", opacity)
            .text
    }

    func validate() throws(TransformError) {
        guard (0...1).contains(opacity) else {
            throw .invalid("overlay opacity \(opacity) is out of range; use 0...1")
        }
        try size.checkSides(of: "overlay")
        for (run, side) in [(across, size.width), (down, size.height)] {
            let distances = -Self.maxDistance...Self.maxDistance
            let isInRange =
                distances.contains(run.start) && side <= ResultLimit.maxSide
                && (1...ResultLimit.maxSide).contains(run.count)
                && (run.count == 1 || (side...Self.maxDistance).contains(run.period))
            guard isInRange else {
                throw .invalid("overlay positions \(run.text) are out of range for a side of \(side) pixels")
            }
        }
    }

    func applied(to base: VipsPicture) throws -> VipsPicture {
        let overlay = try decoded()
        let image = try overlay.picture.image
        return try base.composited(
            with: try overlay.layer(of: image, on: base.size).fading(to: opacity),
            x: across.start,
            y: down.start,
            bandCount: bandCount(of: image, on: base)
        ).rounded()
    }

    /// Returns the overlay with all of its repetitions.
    private func layer(of image: Image, on room: PixelSize) throws -> VipsPicture {
        let tile =
            try scaling(on: room).map { try TransformChain.resize(to: $0.size).apply(to: $0.image) } ?? image
        guard across.count > 1 || down.count > 1 else { return try VipsPicture(tile).withAlpha() }
        let period = PixelSize(
            width: across.count > 1 ? across.period : size.width,
            height: down.count > 1 ? down.period : size.height
        )
        let covered = PixelSize(width: across.count * period.width, height: down.count * period.height)
        // The tiles may cover more, and then contain additional ones.
        return try VipsPicture.tiles(of: tile, period: period, covering: covered).applying(
            .extract_area,
            [
                .integer("left", 0), .integer("top", 0),
                .integer("width", covered.width), .integer("height", covered.height),
            ]
        )
    }

    private func bandCount(of image: Image, on base: VipsPicture) -> Int {
        guard !base.hasAlpha else { return 4 }
        return base.bandCount == 1 && image.pixelFormat == .gray8 ? 1 : 3
    }
}

extension PlacedOverlay: OverlayScaling {
    func scaling(on room: PixelSize) throws -> (image: Image, size: PixelSize)? {
        guard size != picture.size else { return nil }
        try validate()
        guard size.pixelCount <= max(Self.maxScaledPixelCount, 4 * room.pixelCount) else {
            throw TransformError(
                .limitExceeded,
                detail: "an overlay of \(size) pixels is too large for an image of \(room)"
            )
        }
        return (try picture.image, size)
    }

    func with(scaled image: Image) -> PlacedOverlay {
        replacing(picture.replacing(image, named: "\(image.size)"), size: image.size)
    }

    func decoded() throws -> PlacedOverlay {
        replacing(try picture.decoded(), size: size)
    }

    func clipped(to room: PixelSize) throws -> any ImageTransform {
        guard across.count == 1, down.count == 1, size == picture.size else { return self }
        let seen = PixelRect(x: -across.start, y: -down.start, width: room.width, height: room.height)
        // One of its pixels remains outside if all of them are.
        let part = seen.clipped(to: size) ?? PixelRect(x: 0, y: 0, width: 1, height: 1)
        guard part.size != size else { return self }
        return PlacedOverlay(
            picture: picture.replacing(
                try Crop(region: .rect(part)).apply(to: try picture.image),
                named: "\(part)"
            ),
            size: part.size,
            across: OverlayRun(across.start + part.x),
            down: OverlayRun(down.start + part.y),
            opacity: opacity
        )
    }

    private func replacing(_ picture: OverlayImage, size: PixelSize) -> PlacedOverlay {
        PlacedOverlay(picture: picture, size: size, across: across, down: down, opacity: opacity)
    }

    /// The approximate bytes of pixels that are decoded and scaled when it is applied.
    fileprivate var deferredByteCount: Int {
        let isScaled = size != picture.size
        // A larger one is refused.
        return picture.deferredByteCount
            + (isScaled ? 4 * min(size.pixelCount, 4 * ResultLimit.maxPixelCount) : 0)
    }
}

extension TransformChain {
    /// Composites another image over the image, at exact pixels.
    ///
    /// - Parameters:
    ///   - picture: The overlay.
    ///   - size: The size to which it is scaled; at most 10 million pixels, or four times those of the image.
    ///   - across: Its left edges; periods are at least its width.
    ///   - down: Its upper edges; periods are at least its height.
    ///   - opacity: The factor of its alpha, 0...1.
    /// - Returns: The transform.
    package static func overlay(
        _ picture: OverlayImage,
        scaledTo size: PixelSize,
        across: OverlayRun,
        down: OverlayRun,
        opacity: Double
    ) -> TransformChain {
        TransformChain(
            PlacedOverlay(picture: picture, size: size, across: across, down: down, opacity: opacity)
        )
    }
}

extension DecodeTargetPlan {
    /// The approximate bytes of overlays that are decoded and scaled when the transforms are applied.
    package var overlayByteCount: Int {
        chain.steps.reduce(0) { $0 + (($1 as? PlacedOverlay)?.deferredByteCount ?? 0) }
    }
}
