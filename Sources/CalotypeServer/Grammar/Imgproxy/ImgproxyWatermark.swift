import CalotypeCore
import CalotypeTransforms

/// The watermark at the end of imgproxy's pipeline.
///
/// - SeeAlso: `processing/watermark.go` of imgproxy 4.0.
struct ImgproxyWatermark: Hashable, Sendable {
    var source = WatermarkSource()
    /// The pixels; `nil` until they are loaded.
    var picture: OverlayImage?
    /// The factor of the alpha, 0...1; 0 for no watermark.
    var opacity = 0.0
    /// Whether it is repeated; the offsets of ``placement`` are then the gaps.
    var isTiled = false
    var placement = Placement.center
    /// The box that it is fitted into, as a fraction of the result; 0 for ``width`` and ``height``.
    var scale = 0.0
    /// The box in pixels; 0 for any length, both 0 for the watermark's own size.
    var width = 0
    var height = 0

    /// The text for cache keys.
    var identity: String {
        // The digest alone identifies the pixels: equal ones may come from several sources.
        let image = picture.map { "sha256=\($0.digest)" } ?? "unloaded=\(source.text)"
        let position = isTiled ? "tiled:\(placement.offsetX):\(placement.offsetY)" : placement.identity
        return "\(opacity):\(position):\(scale):\(width)x\(height):\(image)"
    }

    /// Returns the transform for a result.
    ///
    /// - Parameters:
    ///   - size: The size of the result.
    ///   - dpr: The factor of offsets in pixels.
    /// - Returns: The transform.
    /// - Throws: ``TransformError`` if the pixels are not loaded.
    func chain(for size: PixelSize, dpr: Double) throws(TransformError) -> TransformChain {
        guard let picture else { throw .unloadedWatermark(source) }
        let scaled = scaledSize(of: picture.size, on: size)
        let (across, down) = runs(of: scaled, on: size, dpr: dpr)
        return .overlay(picture, scaledTo: scaled, across: across, down: down, opacity: opacity)
    }

    /// Returns the size of the watermark on a result, by imgproxy's arithmetic for `fit` with `enlarge`.
    private func scaledSize(of own: PixelSize, on size: PixelSize) -> PixelSize {
        let part = { (side: Int) in
            max(1, Int(clamping: (Double(side) * scale).rounded(.toNearestOrEven)))
        }
        let box = scale > 0 ? (part(size.width), part(size.height)) : (width, height)
        let across = box.0 == 0 ? nil : Double(own.width) / Double(box.0)
        let down = box.1 == 0 ? nil : Double(own.height) / Double(box.1)
        guard let factor = [across, down].compactMap(\.self).max() else { return own }
        return PixelSize(
            width: max(1, Int(clamping: Double(own.width) / factor)),
            height: max(1, Int(clamping: Double(own.height) / factor))
        )
    }

    private func runs(of scaled: PixelSize, on size: PixelSize, dpr: Double) -> (OverlayRun, OverlayRun) {
        guard isTiled else {
            let origin = placement.origin(of: scaled, in: size, scale: dpr, staysInside: false)
            return (OverlayRun(origin.x), OverlayRun(origin.y))
        }
        let gapX = Placement.offset(placement.offsetX, size.width, dpr)
        let gapY = Placement.offset(placement.offsetY, size.height, dpr)
        return (
            Self.tiles(scaled.width, in: size.width, gap: gapX),
            Self.tiles(scaled.height, in: size.height, gap: gapY)
        )
    }

    /// The maximum gap between tiles in pixels.
    private static let maxGap = 1_000_000

    /// Returns the tiles along an axis: an odd number of tiles around the middle, each with half of its gap
    /// on either side.
    private static func tiles(_ inner: Int, in outer: Int, gap: Int) -> OverlayRun {
        let gap = min(max(0, gap), maxGap)
        let period = inner + gap
        let count = ((outer + period - 1) / period) | 1
        return OverlayRun(start: gap / 2 - (count * period - outer) / 2, period: period, count: count)
    }
}

extension ImgproxyLayout: WatermarkedLayout {
    var watermarkSources: [WatermarkSource] { watermark.map { [$0.source] } ?? [] }

    func adding(_ pictures: WatermarkPictures) -> ImgproxyLayout {
        var layout = self
        layout.watermark?.picture = watermark.flatMap { pictures.pictures[$0.source] }
        layout.watermark?.opacity *= pictures.opacity
        return layout
    }

    /// Returns the size of the result before the watermark.
    func resultSize(_ plan: ImgproxyPlan) -> PixelSize {
        var size = plan.result
        for room in [plan.canvas, plan.aspectCanvas] {
            guard let room else { continue }
            size = PixelSize(width: max(room.width, size.width), height: max(room.height, size.height))
        }
        let padding = plan.scaled(padding)
        return PixelSize(
            width: size.width + padding.left + padding.right,
            height: size.height + padding.top + padding.bottom
        )
    }
}
