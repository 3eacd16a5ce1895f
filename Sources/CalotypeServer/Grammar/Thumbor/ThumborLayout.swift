import CalotypeCore
import CalotypeTransforms

/// The geometry of thumbor's path segments, and its filters in order.
///
/// - SeeAlso: `thumbor/transformer.py` of thumbor 7.8.
struct ThumborLayout: SizedTransform {
    enum Side: Hashable, Sendable {
        /// Derived from the other side.
        case proportional
        case original
        case pixels(Int)
    }

    /// The fit of an image into a box; `nil` crops it to fill the box.
    struct Fit: Hashable, Sendable {
        /// Whether the image covers the box.
        var isFull = false
        /// Whether the box is rotated to the orientation of the image.
        var isAdaptive = false
    }

    enum Step: Hashable, Sendable {
        case transform(TransformChain)
        case turn(QuarterTurn)
        case proportion(Double)
        /// Places the image in the middle of the requested box, on a colour.
        case fill(RGBAColor)
        /// Places the image in the middle of the requested box, on a backdrop made of it.
        case backdrop(PadBackdrop, fillsTransparency: Bool)
        case watermark(ThumborWatermark)
    }

    var crop: PixelRect?
    var fit: Fit?
    var width = Side.proportional
    var height = Side.proportional
    var flipsHorizontally = false
    var flipsVertically = false
    /// The position of a crop: 0 left or top, 0.5 middle, 1 right or bottom.
    var alignmentX = 0.5
    var alignmentY = 0.5
    var isSmart = false
    /// The parts of the source that a crop keeps in its middle, weighted by their area; instead of the
    /// alignment.
    var focalAreas: [PixelRect] = []
    var stretches = false
    var avoidsUpscaling = false
    var upscales = false
    var steps: [Step] = []

    var isIdle: Bool { self == ThumborLayout() }

    var cacheIdentity: String {
        let crop = crop.map { "\($0.x):\($0.y):\($0.width):\($0.height)" } ?? ""
        let fit = fit.map { "\($0.isFull ? 1 : 0)\($0.isAdaptive ? 1 : 0)" } ?? ""
        let flags = [flipsHorizontally, flipsVertically, isSmart, stretches, avoidsUpscaling, upscales]
        let size = "\(width.identity)x\(height.identity),align=\(alignmentX):\(alignmentY)"
        let areas = focalAreas.map { "\($0.x):\($0.y):\($0.width):\($0.height)" }
        let focal = areas.isEmpty ? "" : ",focal=\(areas.joined(separator: ";"))"
        return
            "thumbor-2(crop=\(crop),fit=\(fit),size=\(size),flags=\(flags.map { $0 ? "1" : "0" }.joined()),"
            + "steps=\(steps.map(\.identity).joined(separator: "&"))\(focal))"
    }

    func validate() throws {
        for case .transform(let chain) in steps { try chain.validate() }
    }

    /// Enlarges drawings to the box of `fit-in`, unless upscaling is declined.
    func chain(for size: PixelSize, isDrawn: Bool) throws(TransformError) -> TransformChain {
        var layout = self
        layout.upscales = upscales || (isDrawn && !avoidsUpscaling)
        return try layout.chain(for: size)
    }

    func chain(for size: PixelSize) throws(TransformError) -> TransformChain {
        var (chain, size, focus) = (TransformChain(), size, ThumborFocus(focalAreas))
        if let crop, let part = Self.clamped(crop, to: size), part.size != size {
            chain = chain.appending(.crop(to: part))
            size = part.size
            focus = ThumborFocus(focalAreas, in: part)
        }
        var box = target(for: size)
        let source = size
        if let fit {
            if fit.isAdaptive, (source.width > source.height) != (box.width > box.height) {
                box = box.transposed
            }
            size = fitted(source, in: box, fit)
        } else {
            if let part = autoCrop(of: source, for: box) {
                chain = chain.appending(cutting(part, of: source, focus))
            }
            size = box
        }
        // Also if the size is unchanged, since the crop may have another size.
        if size != source || fit == nil { chain = chain.appending(.resize(to: size)) }
        if flipsHorizontally { chain = chain.appending(.flip(.horizontal)) }
        if flipsVertically { chain = chain.appending(.flip(.vertical)) }
        return try Self.applying(steps, to: chain, size, box)
    }

    private static func applying(
        _ steps: [Step],
        to chain: TransformChain,
        _ size: PixelSize,
        _ box: PixelSize
    ) throws(TransformError) -> TransformChain {
        var (chain, size) = (chain, size)
        for step in steps {
            switch step {
            case .transform(let transform): chain = chain.appending(transform)
            case .turn(let turn):
                chain = chain.appending(.rotate(turn))
                if turn != .clockwise180 { size = size.transposed }
            case .proportion(let part):
                let width = max(1, Int(Double(size.width) * part))
                size = PixelSize(width: width, height: max(1, Int(Double(size.height) * part)))
                chain = chain.appending(.resize(to: size))
            case .fill(let color):
                size = PixelSize(width: max(size.width, box.width), height: max(size.height, box.height))
                chain = chain.appending(.pad(to: size, color: color))
            case .backdrop(let backdrop, let fillsTransparency):
                size = PixelSize(width: max(size.width, box.width), height: max(size.height, box.height))
                chain = chain.appending(
                    .pad(to: size, backdrop: backdrop, fillsTransparency: fillsTransparency)
                )
            case .watermark(let watermark):
                chain = chain.appending(try watermark.chain(for: size))
            }
        }
        return chain
    }

    /// Returns the rectangle within an image, or `nil` if they do not intersect.
    private static func clamped(_ rect: PixelRect, to size: PixelSize) -> PixelRect? {
        let (left, top) = (max(0, rect.x), max(0, rect.y))
        let (right, bottom) = (min(rect.x + rect.width, size.width), min(rect.y + rect.height, size.height))
        guard right > left, bottom > top else { return nil }
        return PixelRect(x: left, y: top, width: right - left, height: bottom - top)
    }

    private func target(for size: PixelSize) -> PixelSize {
        let side = { (side: Side, own: Int) -> Int? in
            switch side {
            case .proportional: nil
            case .original: own
            case .pixels(let count): count
            }
        }
        let (width, height) = (side(width, size.width), side(height, size.height))
        let target =
            switch (width, height) {
            case (nil, nil): size
            case (let width?, nil):
                PixelSize(width: width, height: Self.ratio(width, size.height, size.width))
            case (nil, let height?):
                PixelSize(width: Self.ratio(height, size.width, size.height), height: height)
            case (let width?, let height?): PixelSize(width: width, height: height)
            }
        guard avoidsUpscaling else { return target }
        return PixelSize(width: min(target.width, size.width), height: min(target.height, size.height))
    }

    /// Returns `side × numerator ÷ denominator`, halves to even, at least 1.
    private static func ratio(_ side: Int, _ numerator: Int, _ denominator: Int) -> Int {
        let exact = Double(side) * Double(numerator) / Double(denominator)
        return max(1, Int(clamping: exact.rounded(.toNearestOrEven)))
    }

    /// Returns the crop that gives the ratio of the box, or `nil` if the ratios are nearly equal.
    private func autoCrop(of size: PixelSize, for box: PixelSize) -> PixelSize? {
        let hundredths = { (size: PixelSize) in
            (Double(size.width) / Double(size.height) * 100).rounded(.toNearestOrEven)
        }
        guard !stretches, hundredths(size) != hundredths(box) else { return nil }
        let isByWidth =
            Double(box.width) / Double(size.width) > Double(box.height) / Double(size.height)
        if isByWidth {
            let height = Self.ratio(size.width, box.height, box.width)
            return PixelSize(width: size.width, height: min(height, size.height))
        }
        let width = (Double(box.width) * Double(size.height) / Double(box.height)).rounded(.up)
        return PixelSize(width: min(max(1, Int(clamping: width)), size.width), height: size.height)
    }

    private func cutting(
        _ part: PixelSize,
        of size: PixelSize,
        _ focus: ThumborFocus?
    ) -> TransformChain {
        if isSmart, focus == nil { return .smartCrop(to: part) }
        let start = { (middle: Double, part: Int, side: Int) -> Int in
            let start = middle - Double(part) / 2
            return Int(min(max(0, start), Double(side - part)).rounded(.toNearestOrEven))
        }
        let x = start(focus?.x ?? Double(size.width) * alignmentX, part.width, size.width)
        let y = start(focus?.y ?? Double(size.height) * alignmentY, part.height, size.height)
        return .crop(to: PixelRect(x: x, y: y, width: part.width, height: part.height))
    }

    private func fitted(_ size: PixelSize, in box: PixelSize, _ fit: Fit) -> PixelSize {
        let isSmaller = box.width >= size.width && box.height >= size.height
        if !fit.isFull, isSmaller, !upscales { return size }
        let across = Double(size.width) / Double(box.width)
        let down = Double(size.height) / Double(box.height)
        // When enlarging, thumbor truncates fractions.
        let round = { (exact: Double) in isSmaller && !fit.isFull ? exact.rounded(.down) : exact + 1e-5 }
        if fit.isFull ? across <= down : across >= down {
            let height = Double(size.height) * Double(box.width) / Double(size.width)
            return PixelSize(width: box.width, height: max(1, Int(clamping: round(height))))
        }
        let width = Double(size.width) * Double(box.height) / Double(size.height)
        return PixelSize(width: max(1, Int(clamping: round(width))), height: box.height)
    }
}

extension ThumborLayout.Side {
    var identity: String {
        switch self {
        case .proportional: "0"
        case .original: "orig"
        case .pixels(let count): "\(count)"
        }
    }
}

extension ThumborLayout.Step {
    fileprivate var identity: String {
        switch self {
        case .transform(let chain): Self.counted(chain.cacheIdentity)
        case .turn(let turn): "turn:\(turn.rawValue)"
        case .proportion(let part): "proportion:\(part)"
        case .fill(let color): "fill:\(color.hex)"
        case .backdrop(.averageColor, let fills): "fillAverage:\(fills ? 1 : 0)"
        case .backdrop(.blurred(let sigma), let fills): "fillBlurred:\(sigma):\(fills ? 1 : 0)"
        case .watermark(let watermark): Self.counted(watermark.identity)
        }
    }

    private static func counted(_ text: String) -> String { "\(text.utf8.count):\(text)" }
}
