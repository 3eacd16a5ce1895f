import CalotypeCore
import CalotypeTransforms

/// The intermediate sizes of an image in an ``ImgproxyLayout``.
struct ImgproxyPlan: Hashable {
    /// The size of the area cropped from the source.
    let cut: PixelSize
    /// The size to which that area is scaled.
    let scaled: PixelSize
    /// The size of the crop from the scaled area.
    let result: PixelSize
    /// The factor of offsets and padding: as requested, or less if the image has too few pixels.
    let dpr: Double
    /// The size of ``ImgproxyLayout/canvas``; a side of 0 stays unchanged.
    let canvas: PixelSize?
    /// The size of ``ImgproxyLayout/aspectCanvas``.
    let aspectCanvas: PixelSize?

    /// - Parameters:
    ///   - layout: The requested layout.
    ///   - size: The size of the image, upright and not empty.
    init(_ layout: ImgproxyLayout, source size: PixelSize) {
        cut = Self.cut(layout.area, size)
        var factors = Factors(layout, cut)
        if !layout.enlarges { factors.withoutEnlarging(extends: layout.canvas.isOn) }
        factors.raise(toWidth: layout.minWidth, height: layout.minHeight, cut)
        dpr = factors.dpr
        let across = min(factors.across / dpr, Double(cut.width))
        let down = min(factors.down / dpr, Double(cut.height))
        scaled = PixelSize(
            width: max(1, Self.times(cut.width, 1 / across)),
            height: max(1, Self.times(cut.height, 1 / down))
        )
        let target = PixelSize(
            width: Self.times(layout.width, dpr * layout.zoomX),
            height: Self.times(layout.height, dpr * layout.zoomY)
        )
        let wanted = layout.type == .fillDown && !layout.enlarges ? Self.filled(target, scaled) : target
        result = PixelSize(
            width: wanted.width == 0 ? scaled.width : min(wanted.width, scaled.width),
            height: wanted.height == 0 ? scaled.height : min(wanted.height, scaled.height)
        )
        canvas = layout.canvas.isOn ? target : nil
        aspectCanvas = layout.aspectCanvas.isOn ? Self.aspectBox(target, scaled, wanted) : nil
    }

    /// Returns the padding in pixels of the result.
    func scaled(_ padding: PixelInsets) -> PixelInsets {
        let times = { (side: Int) in Int(clamping: (Double(side) * dpr).rounded(.toNearestOrEven)) }
        return PixelInsets(
            top: times(padding.top),
            left: times(padding.left),
            bottom: times(padding.bottom),
            right: times(padding.right)
        )
    }

    /// The ratios of the source to the requested size.
    private struct Factors {
        var across: Double
        var down: Double
        var dpr: Double

        init(_ layout: ImgproxyLayout, _ cut: PixelSize) {
            let width = layout.width == 0 ? cut.width : layout.width
            let height = layout.height == 0 ? cut.height : layout.height
            across = Double(cut.width) / Double(width)
            down = Double(cut.height) / Double(height)
            dpr = layout.dpr
            if across != 1 || down != 1 {
                let isAlike = (cut.width >= cut.height) == (width >= height)
                let type = layout.type == .auto ? (isAlike ? .fill : .fit) : layout.type
                join(type, hasWidth: layout.width > 0, hasHeight: layout.height > 0)
            }
            across /= layout.zoomX
            down /= layout.zoomY
        }

        private mutating func join(_ type: ImgproxyLayout.ResizingType, hasWidth: Bool, hasHeight: Bool) {
            switch (type, hasWidth, hasHeight) {
            case (.force, _, _): break
            case (_, false, _): across = down
            case (_, _, false): down = across
            case (.fit, _, _): (across, down) = (max(across, down), max(across, down))
            default: (across, down) = (min(across, down), min(across, down))
            }
        }

        mutating func withoutEnlarging(extends: Bool) {
            let least = min(across, down)
            if least < 1 {
                across /= least
                down /= least
                if !extends { dpr /= least }
            }
            dpr = min(dpr, across, down)
        }

        mutating func raise(toWidth width: Int, height: Int, _ cut: PixelSize) {
            if width > 0, Double(cut.width) / Double(width) < across {
                down *= Double(cut.width) / Double(width) / across
                across = Double(cut.width) / Double(width)
            }
            if height > 0, Double(cut.height) / Double(height) < down {
                across *= Double(cut.height) / Double(height) / down
                down = Double(cut.height) / Double(height)
            }
        }
    }

    private static func times(_ side: Int, _ factor: Double) -> Int {
        side == 0 ? 0 : Int(clamping: Double(side) * factor)
    }

    private static func cut(_ area: ImgproxyLayout.Area?, _ size: PixelSize) -> PixelSize {
        guard let area else { return size }
        let side = { (wanted: Double, side: Int) -> Int in
            if wanted == 0 { return side }
            let pixels =
                wanted >= 1
                ? Int(clamping: wanted.rounded(.towardZero)) : max(1, Int(clamping: Double(side) * wanted))
            return min(pixels, side)
        }
        return PixelSize(width: side(area.width, size.width), height: side(area.height, size.height))
    }

    /// Returns the size for `fill-down`: the requested ratio, within the available pixels.
    private static func filled(_ target: PixelSize, _ scaled: PixelSize) -> PixelSize {
        guard target.width > 0, target.height > 0 else { return target }
        let across = Double(target.width) / Double(scaled.width)
        let down = Double(target.height) / Double(scaled.height)
        if across > down, across > 1 {
            let height = Double(scaled.width) * Double(target.height) / Double(target.width)
            return PixelSize(width: scaled.width, height: max(1, Int(clamping: height)))
        }
        if down > across, down > 1 {
            let width = Double(scaled.height) * Double(target.width) / Double(target.height)
            return PixelSize(width: max(1, Int(clamping: width)), height: scaled.height)
        }
        return target
    }

    private static func aspectBox(
        _ target: PixelSize,
        _ scaled: PixelSize,
        _ wanted: PixelSize
    ) -> PixelSize? {
        guard target.width > 0, target.height > 0 else { return nil }
        let width = wanted.width == 0 ? scaled.width : min(scaled.width, wanted.width)
        let height = wanted.height == 0 ? scaled.height : min(scaled.height, wanted.height)
        let across = Double(target.width) / Double(width)
        let down = Double(target.height) / Double(height)
        let ratio = Double(target.width) / Double(target.height)
        if down > across { return PixelSize(width: width, height: Int(clamping: Double(width) / ratio)) }
        if across > down { return PixelSize(width: Int(clamping: Double(height) * ratio), height: height) }
        return nil
    }
}
