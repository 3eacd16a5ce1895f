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

    /// The natural size of the document: the stated sides, the rest by the proportions of the viewBox, the
    /// viewBox where no side is stated, else 300 by 150 pixels.
    ///
    /// - Parameter pixelCountMax: The most pixels of a viewBox, which is made smaller where it has more: its
    ///   units need not be pixels.
    /// - Returns: Pixels and parts of them; `nil` where nothing would be shown.
    func size(pixelCountMax: Int) -> (width: Double, height: Double)? {
        let sides = [width, height, view?.width, view?.height].compactMap { $0 }
        guard sides.allSatisfy({ $0.isFinite && $0 > 0 }) else { return nil }
        let (room, ratio) = ((width: 300.0, height: 150.0), view.map { $0.width / $0.height })
        switch (width, height, ratio) {
        case (let width?, let height?, _): return (width, height)
        case (let width?, nil, let ratio): return (width, ratio.map { width / $0 } ?? room.height)
        case (nil, let height?, let ratio): return (ratio.map { height * $0 } ?? room.width, height)
        case (nil, nil, nil): return room
        case (nil, nil, _?): return view.map { Self.reduced($0, to: Double(pixelCountMax)) }
        }
    }

    private static func reduced(
        _ view: (width: Double, height: Double),
        to pixelCountMax: Double
    ) -> (width: Double, height: Double) {
        let side = Double(SVGDocument.sideMax)
        let factor = min(
            1,
            (pixelCountMax / (view.width * view.height)).squareRoot() * (1 - 1e-9),
            side / max(view.width, view.height)
        )
        return (view.width * factor, view.height * factor)
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
