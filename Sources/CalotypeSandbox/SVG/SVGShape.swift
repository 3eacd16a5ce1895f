import CSVG
import CalotypeCore

/// How large a document says it is.
///
/// - SeeAlso: CSS Images 3, section 5.3; SVG 2, section 8.
struct SVGShape {
    /// Pixels; `nil` where the document leaves a side to the page that shows it.
    var width: Double?
    var height: Double?
    /// Width and height of the viewBox; `nil` where there is none.
    var view: (width: Double, height: Double)?

    /// The natural size of a document, and its whole pixels.
    struct Size {
        let width, height: Double
        let pixels: PixelSize

        /// Whole pixels by rounding, at least one a side.
        init(_ width: Double, _ height: Double) {
            self.init(width, height) { $0.rounded() }
        }

        fileprivate init(_ width: Double, _ height: Double, whole: (Double) -> Double) {
            (self.width, self.height) = (width, height)
            let sides = [width, height].map { max(1, Int(whole(min($0, 1e9)))) }
            pixels = PixelSize(width: sides[0], height: sides[1])
        }
    }

    /// The natural size of the document: the stated sides, the rest by the proportions of the viewBox, the
    /// viewBox where no side is stated, else 300 by 150 pixels.
    ///
    /// - Parameter pixelCountMax: The most pixels of a viewBox, which is made smaller where it has more: its
    ///   units need not be pixels. Its whole pixels are then rounded down, so that they have no more either.
    /// - Returns: Pixels and parts of them; `nil` where nothing would be shown.
    func size(pixelCountMax: Int) -> Size? {
        let sides = [width, height, view?.width, view?.height].compactMap { $0 }
        guard sides.allSatisfy({ $0.isFinite && $0 > 0 }) else { return nil }
        let (room, ratio) = (Size(300, 150), view.map { $0.width / $0.height })
        switch (width, height, ratio) {
        case (let width?, let height?, _): return Size(width, height)
        case (let width?, nil, let ratio): return Size(width, ratio.map { width / $0 } ?? room.height)
        case (nil, let height?, let ratio): return Size(ratio.map { height * $0 } ?? room.width, height)
        case (nil, nil, nil): return room
        case (nil, nil, _?): return view.map { Self.reduced($0, to: pixelCountMax) }
        }
    }

    private static func reduced(_ view: (width: Double, height: Double), to pixelCountMax: Int) -> Size {
        let (whole, sideMax) = (Size(view.width, view.height), SVGDocument.sideMax)
        let side = max(whole.pixels.width, whole.pixels.height)
        let isOver =
            whole.pixels.pixelCount > pixelCountMax || view.width * view.height > Double(pixelCountMax)
        guard isOver || side > sideMax else { return whole }
        let long = max(view.width, view.height)
        // Roots of each side, since their product may be no number. The shorter side may be less than a
        // pixel, and is one then: the longer one has all others.
        let factor = min(
            1,
            Double(pixelCountMax).squareRoot() / view.width.squareRoot() / view.height.squareRoot()
                * (1 - 1e-9),
            Double(min(sideMax, pixelCountMax)) / long
        )
        // A whole side stays one, whatever the factor has been rounded to.
        return Size(view.width * factor, view.height * factor) { ($0 * (1 + 1e-9)).rounded(.down) }
    }
}

extension SVGShape {
    init(_ shape: calotype_svg_shape) {
        width = Self.pixels(shape.width, shape.width_unit)
        height = Self.pixels(shape.height, shape.height_unit)
        // One that is empty says nothing of proportions.
        let hasView = shape.view_width > 0 && shape.view_height > 0
        view = hasView ? (shape.view_width, shape.view_height) : nil
    }

    /// CSS pixels; `nil` for a part of something that nobody knows here.
    ///
    /// Letters are taken to be 16 pixels high, as browsers do where nothing else is said.
    private static func pixels(_ length: Double, _ unit: Int32) -> Double? {
        switch unit {
        case 1: length
        case 2: length * 16
        case 3: length * 8
        case 4: length * 96
        case 5: length * 96 / 2.54
        case 6: length * 96 / 25.4
        case 7: length * 96 / 72
        case 8: length * 16
        default: nil
        }
    }
}
