import CalotypeCore
import CalotypeTransforms

/// The geometry of imgproxy's options, in its fixed order: rotate, crop, scale, crop, filter, extend, pad.
///
/// - SeeAlso: `processing/prepare.go` of imgproxy 4.0.
struct ImgproxyLayout: SizedTransform {
    enum ResizingType: String, Hashable, Sendable, CaseIterable {
        case fit, fill, force, auto
        case fillDown = "fill-down"
    }

    /// A canvas around a smaller image.
    struct Extension: Hashable, Sendable {
        var isOn = false
        var placement = Placement.center
    }

    /// The area that is cropped first; pixels from 1 on, fractions below 1, 0 for the whole side.
    struct Area: Hashable, Sendable {
        var width: Double
        var height: Double
        /// The placement, or `nil` for that of the result.
        var placement: Placement?
    }

    var type = ResizingType.fit
    /// Pixels; 0 keeps the aspect ratio.
    var width = 0
    var height = 0
    var minWidth = 0
    var minHeight = 0
    var zoomX = 1.0
    var zoomY = 1.0
    var dpr = 1.0
    var enlarges = false
    var canvas = Extension()
    var aspectCanvas = Extension()
    var placement = Placement.center
    var area: Area?
    var padding = PixelInsets()
    var turn: QuarterTurn?
    var flipsHorizontally = false
    var flipsVertically = false
    var blurSigma = 0.0
    var sharpenSigma = 0.0
    var effects = ImgproxyEffects()
    var watermark: ImgproxyWatermark?
    /// The colours under the watermark.
    var overlays = ImgproxyOverlays()

    /// Whether every image stays unchanged.
    var isIdle: Bool { self == ImgproxyLayout() }

    var cacheIdentity: String {
        let sides = "\(width)x\(height),min=\(minWidth)x\(minHeight),zoom=\(zoomX):\(zoomY),dpr=\(dpr)"
        let canvases = [canvas, aspectCanvas].map { "\($0.isOn ? 1 : 0):\($0.placement.identity)" }
        let area = area.map { "\($0.width):\($0.height):\($0.placement?.identity ?? "")" } ?? ""
        let padding = "\(padding.top):\(padding.right):\(padding.bottom):\(padding.left)"
        let turns = "\(turn?.rawValue ?? 0):\(flipsHorizontally ? 1 : 0):\(flipsVertically ? 1 : 0)"
        // Before libvips' sharpen, the same number stood for an unsharp mask.
        let sharpening = sharpenSigma > 0 ? "lightness:\(sharpenSigma)" : "0.0"
        return "imgproxy-2(\(type.rawValue),\(sides),enlarge=\(enlarges ? 1 : 0),extend=\(canvases[0]),"
            + "extendAspect=\(canvases[1]),gravity=\(placement.identity),crop=\(area),pad=\(padding),"
            + "turn=\(turns),blur=\(blurSigma),sharpen=\(sharpening)\(effects.identity)"
            + (watermark.map { "\(overlays.chain.cacheIdentity),watermark=\($0.identity))" } ?? ")")
    }

    /// Enlarges drawings regardless of `enlarge`, as imgproxy does.
    func chain(for size: PixelSize, isDrawn: Bool) throws(TransformError) -> TransformChain {
        var layout = self
        layout.enlarges = enlarges || isDrawn
        return try layout.chain(for: size)
    }

    func chain(for size: PixelSize) throws(TransformError) -> TransformChain {
        let turned = turn == .clockwise90 || turn == .clockwise270 ? size.transposed : size
        let plan = ImgproxyPlan(self, source: turned)
        let chains = [turns, cutting(turned, plan), fitting(plan), filters(plan), extending(plan)]
        let chain = TransformChain(steps: chains.flatMap(\.steps))
        guard let watermark else { return chain }
        let mark = try watermark.chain(for: resultSize(plan), dpr: plan.dpr)
        return chain.appending(overlays.chain).appending(mark)
    }

    private var turns: TransformChain {
        var chain = TransformChain()
        if let turn { chain = chain.appending(.rotate(turn)) }
        if flipsHorizontally { chain = chain.appending(.flip(.horizontal)) }
        if flipsVertically { chain = chain.appending(.flip(.vertical)) }
        return chain
    }

    private func cutting(_ size: PixelSize, _ plan: ImgproxyPlan) -> TransformChain {
        guard plan.cut != size else { return [] }
        return Self.crop(plan.cut, of: size, area?.placement ?? placement, scale: 1)
    }

    /// Scales the cropped area, and crops the result.
    private func fitting(_ plan: ImgproxyPlan) -> TransformChain {
        let scaling: TransformChain = plan.scaled == plan.cut ? [] : .resize(to: plan.scaled)
        guard plan.result != plan.scaled else { return scaling }
        return scaling.appending(Self.crop(plan.result, of: plan.scaled, placement, scale: plan.dpr))
    }

    private func filters(_ plan: ImgproxyPlan) -> TransformChain {
        var chain = effects.colors
        if blurSigma > 0 { chain = chain.appending(.blur(sigma: blurSigma)) }
        // The maximum of libvips.
        if sharpenSigma > 0 { chain = chain.appending(.sharpenLightness(sigma: min(10, sharpenSigma))) }
        let isReduced = plan.scaled.width < plan.cut.width || plan.scaled.height < plan.cut.height
        let mask = effects.sharpening(isReduced: isReduced, isSharpened: sharpenSigma > 0)
        return chain.appending(mask).appending(effects.blocks)
    }

    private func extending(_ plan: ImgproxyPlan) -> TransformChain {
        var (chain, size) = (TransformChain(), plan.result)
        for (room, placement) in [
            (plan.canvas, canvas.placement), (plan.aspectCanvas, aspectCanvas.placement),
        ] {
            guard let room else { continue }
            let outer = PixelSize(width: max(room.width, size.width), height: max(room.height, size.height))
            guard outer != size else { continue }
            let origin = placement.origin(of: size, in: outer, scale: plan.dpr)
            let insets = PixelInsets(
                top: origin.y,
                left: origin.x,
                bottom: outer.height - size.height - origin.y,
                right: outer.width - size.width - origin.x
            )
            chain = chain.appending(.pad(by: insets))
            size = outer
        }
        guard padding != PixelInsets() else { return chain }
        return chain.appending(.pad(by: plan.scaled(padding)))
    }

    private static func crop(
        _ part: PixelSize,
        of size: PixelSize,
        _ placement: Placement,
        scale: Double
    ) -> TransformChain {
        if placement.anchor == .smart { return .smartCrop(to: part) }
        let origin = placement.origin(of: part, in: size, scale: scale)
        return .crop(to: PixelRect(x: origin.x, y: origin.y, width: part.width, height: part.height))
    }
}
