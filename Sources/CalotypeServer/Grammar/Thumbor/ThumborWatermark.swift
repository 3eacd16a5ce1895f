import CalotypeCore
import CalotypeTransforms

/// The watermark of thumbor's filter.
///
/// - SeeAlso: `thumbor/filters/watermark.py` of thumbor 7.8.
struct ThumborWatermark: Hashable, Sendable {
    enum Position: Hashable, Sendable {
        /// Pixels from the left or upper side, or from the opposite one.
        case pixels(Int, fromEnd: Bool)
        /// The same in percent of the image.
        case percent(Int, fromEnd: Bool)
        case center
        /// Repeated, with equal gaps.
        case repeated
    }

    let source: WatermarkSource
    let x: Position
    let y: Position
    /// The factor of the alpha, 0...1.
    let opacity: Double
    /// The box that it is fitted into, in percent of the image; `nil` for any length, both `nil` for the
    /// watermark's own size.
    let widthPart: Double?
    let heightPart: Double?
    /// The pixels; `nil` until they are loaded.
    var picture: OverlayImage?

    /// The text for cache keys.
    var identity: String {
        let image = picture.map { "sha256=\($0.digest)" } ?? "unloaded=\(source.text)"
        let parts = [widthPart, heightPart].map { $0.map { "\($0)" } ?? "" }
        return "watermark:\(opacity):\(x.text):\(y.text):\(parts[0])x\(parts[1]):\(image)"
    }

    /// Returns the transform for an image.
    ///
    /// - Throws: ``TransformError`` if the pixels are not loaded.
    func chain(for size: PixelSize) throws(TransformError) -> TransformChain {
        guard let picture else { throw .unloadedWatermark(source) }
        let scaled = scaledSize(of: picture.size, on: size)
        var across = x.run(of: scaled.width, in: size.width)
        var down = y.run(of: scaled.height, in: size.height)
        if x == .repeated, y == .repeated, across.count * down.count > 100 {
            across = x.run(of: scaled.width, in: size.width, atMost: 6)
            down = y.run(of: scaled.height, in: size.height, atMost: 6)
        }
        return .overlay(picture, scaledTo: scaled, across: across, down: down, opacity: opacity)
    }

    private func scaledSize(of own: PixelSize, on size: PixelSize) -> PixelSize {
        guard widthPart != nil || heightPart != nil else { return own }
        let (ownWidth, ownHeight) = (Double(own.width), Double(own.height))
        let width = widthPart.map { Double(size.width) * $0 / 100 }
        let height = heightPart.map { Double(size.height) * $0 / 100 }
        let across = width.map { $0 / ownWidth } ?? .infinity
        let down = height.map { $0 / ownHeight } ?? .infinity
        let side = { (exact: Double) in max(1, Int(clamping: exact.rounded(.toNearestOrEven))) }
        return PixelSize(
            width: side(ownWidth * min(across, down)),
            height: side(ownHeight * min(across, down))
        )
    }
}

extension ThumborWatermark.Position {
    var text: String {
        switch self {
        case .pixels(let count, let fromEnd): "\(fromEnd ? "-" : "")\(count)"
        case .percent(let part, let fromEnd): "\(fromEnd ? "-" : "")\(part)p"
        case .center: "center"
        case .repeated: "repeat"
        }
    }

    /// Returns the positions along an axis.
    ///
    /// - Parameters:
    ///   - inner: The side of the watermark.
    ///   - outer: The side of the image.
    ///   - maxCount: The maximum number of repetitions.
    /// - Returns: The positions.
    fileprivate func run(of inner: Int, in outer: Int, atMost maxCount: Int = .max) -> OverlayRun {
        switch self {
        case .center: return OverlayRun((outer - inner) / 2)
        case .pixels(let count, let fromEnd): return Self.single(count, fromEnd: fromEnd, inner, outer)
        case .percent(let part, let fromEnd):
            let exact = Double(outer) * Double(part) / 100 + 1e-5
            let count = Int(clamping: exact.rounded(.toNearestOrEven))
            return Self.single(count, fromEnd: fromEnd, inner, outer)
        case .repeated: return Self.tiles(inner, outer, maxCount)
        }
    }

    /// Returns one position; all those outside of the image are equal.
    private static func single(_ count: Int, fromEnd: Bool, _ inner: Int, _ outer: Int) -> OverlayRun {
        let start = fromEnd ? outer - inner - count : count
        return OverlayRun(min(max(-inner, start), outer))
    }

    /// Returns whole tiles from the first pixel on, with the rest divided among the gaps; if fewer than two
    /// fit, up to two with a gap of 10 pixels.
    private static func tiles(_ inner: Int, _ outer: Int, _ maxCount: Int) -> OverlayRun {
        guard outer >= 2 * inner else {
            let count = (outer + inner - 1) / inner
            return OverlayRun(start: 0, period: inner + 10, count: min(count, maxCount))
        }
        let count = min(outer / inner, maxCount)
        let gap = (outer - count * inner) / (max(count, 2) - 1)
        return OverlayRun(start: 0, period: inner + gap, count: count)
    }
}

extension ThumborLayout: WatermarkedLayout {
    var watermarkSources: [WatermarkSource] {
        steps.compactMap { step in
            if case .watermark(let watermark) = step { watermark.source } else { nil }
        }
    }

    func adding(_ pictures: WatermarkPictures) -> ThumborLayout {
        var layout = self
        layout.steps = steps.map { step in
            guard case .watermark(var watermark) = step else { return step }
            watermark.picture = pictures.pictures[watermark.source]
            return .watermark(watermark)
        }
        return layout
    }
}

extension ThumborSettings {
    /// Parses `url,x,y,alpha[,width[,height]]`; the alpha is a transparency in percent.
    func watermark(_ filter: OptionArguments) throws(RequestError) -> ThumborWatermark {
        try filter.expect(4...6)
        let count = layout.watermarkSources.count
        guard count < filter.limits.maxWatermarkCount else {
            throw RequestError(.pathTooLong, option: filter.name, detail: "more than \(count) watermarks")
        }
        let text = String(filter.text(0))
        let source = try SourceURL(ThumborPath.hasScheme(text) ? text : "\(defaultScheme)://\(text)")
        return ThumborWatermark(
            source: WatermarkSource(url: source),
            x: try Self.position(filter, 1),
            y: try Self.position(filter, 2),
            opacity: 1 - Double(try filter.integer(3, 0...100)) / 100,
            widthPart: try Self.percentage(filter, 4),
            heightPart: try Self.percentage(filter, 5)
        )
    }

    private static func position(
        _ filter: OptionArguments,
        _ index: Int
    ) throws(RequestError) -> ThumborWatermark.Position {
        let text = filter.text(index)
        if text == "center" { return .center }
        if text == "repeat" { return .repeated }
        let fromEnd = text.hasPrefix("-")
        let isPart = text.hasSuffix("p")
        let digits = text.dropFirst(fromEnd ? 1 : 0).dropLast(isPart ? 1 : 0)
        let number = OptionArguments(name: filter.name, values: [digits], limits: filter.limits)
        let count = try number.side(0)
        return isPart ? .percent(count, fromEnd: fromEnd) : .pixels(count, fromEnd: fromEnd)
    }

    /// Parses a percentage; `nil` for `none`, 0 or nothing.
    private static func percentage(_ filter: OptionArguments, _ index: Int) throws(RequestError) -> Double? {
        guard filter.isGiven(index), filter.text(index) != "none" else { return nil }
        let part = try filter.number(index, 0...100 * filter.limits.maxScale)
        return part == 0 ? nil : part
    }
}
