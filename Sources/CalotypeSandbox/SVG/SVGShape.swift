import CSVG
import CalotypeCore

/// The size that a document states.
///
/// - SeeAlso: CSS Images 3, section 5.3; SVG 2, section 8.
struct SVGShape {
    /// CSS pixels; `nil` if the side depends on the page that shows the document.
    var width: Double?
    var height: Double?
    /// Width and height of the viewBox; `nil` without one.
    var view: (width: Double, height: Double)?

    /// The natural size of a document, exact and in whole pixels.
    struct Size {
        let width, height: Double
        let pixels: PixelSize

        /// Rounds each side to whole pixels, at least 1.
        init(_ width: Double, _ height: Double) {
            self.init(width, height) { $0.rounded() }
        }

        fileprivate init(_ width: Double, _ height: Double, whole: (Double) -> Double) {
            (self.width, self.height) = (width, height)
            let sides = [width, height].map { max(1, Int(whole(min($0, 1e9)))) }
            pixels = PixelSize(width: sides[0], height: sides[1])
        }
    }

    /// Returns the natural size of the document.
    ///
    /// Stated sides are used as they are. A missing side follows from the proportions of the viewBox. Without
    /// stated sides the viewBox counts; without a viewBox, 300 × 150 pixels.
    ///
    /// - Parameter maxPixelCount: The maximum number of pixels of a viewBox. A larger one is scaled down,
    ///   because its units need not be pixels; its whole pixels are then rounded down to stay within the
    ///   limit.
    /// - Returns: The size; `nil` if it would be empty.
    func size(maxPixelCount: Int) -> Size? {
        let sides = [width, height, view?.width, view?.height].compactMap { $0 }
        guard sides.allSatisfy({ $0.isFinite && $0 > 0 }) else { return nil }
        let (room, ratio) = (Size(300, 150), view.map { $0.width / $0.height })
        switch (width, height, ratio) {
        case (let width?, let height?, _): return Size(width, height)
        case (let width?, nil, let ratio): return Size(width, ratio.map { width / $0 } ?? room.height)
        case (nil, let height?, let ratio): return Size(ratio.map { height * $0 } ?? room.width, height)
        case (nil, nil, nil): return room
        case (nil, nil, _?): return view.map { Self.reduced($0, to: maxPixelCount) }
        }
    }

    private static func reduced(_ view: (width: Double, height: Double), to maxPixelCount: Int) -> Size {
        let (whole, maxSide) = (Size(view.width, view.height), SVGDocument.maxSide)
        let side = max(whole.pixels.width, whole.pixels.height)
        let isOver =
            whole.pixels.pixelCount > maxPixelCount || view.width * view.height > Double(maxPixelCount)
        guard isOver || side > maxSide else { return whole }
        let long = max(view.width, view.height)
        // The root of each side, because the product may overflow. The shorter side may become less than one
        // pixel and is then rounded up to 1; the longer side has all other pixels.
        let factor = min(
            1,
            Double(maxPixelCount).squareRoot() / view.width.squareRoot() / view.height.squareRoot()
                * (1 - 1e-9),
            Double(min(maxSide, maxPixelCount)) / long
        )
        // The tolerance keeps a whole side whole in spite of rounding errors in the factor.
        return Size(view.width * factor, view.height * factor) { ($0 * (1 + 1e-9)).rounded(.down) }
    }
}

extension SVGShape {
    init(_ shape: calotype_svg_shape) {
        width = Self.pixels(shape.width, shape.width_unit)
        height = Self.pixels(shape.height, shape.height_unit)
        // An empty viewBox has no proportions.
        let hasView = shape.view_width > 0 && shape.view_height > 0
        view = hasView ? (shape.view_width, shape.view_height) : nil
    }

    /// Converts a length to CSS pixels; `nil` for a fraction of an unknown size.
    ///
    /// The font size counts as 16 pixels, the default of browsers.
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
