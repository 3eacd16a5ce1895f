import CalotypeSupport

/// A round corner: the square around a quarter circle, whose outer part is cut off.
struct RoundCorner {
    /// The centre of the circle.
    private let x: Double
    private let y: Double
    let radius: Double
    /// The direction of the corner from the centre: 1 is right, or down.
    private let outward: (x: Double, y: Double)

    /// Creates the circle that touches both sides of a corner.
    init(cornerX: Double, cornerY: Double, _ radius: Double, outward: (x: Double, y: Double)) {
        x = cornerX - outward.x * radius
        y = cornerY - outward.y * radius
        self.radius = radius
        self.outward = outward
    }

    /// The position of a box relative to the circle.
    enum Place {
        case untouched, crossed, cutOff
    }

    func place(of box: PlaneBox) -> Place {
        let box = quadrant(of: box)
        guard !box.isEmpty else { return .untouched }
        let squared = radius * radius
        if box.left * box.left + box.top * box.top >= squared { return .cutOff }
        return box.right * box.right + box.bottom * box.bottom <= squared ? .untouched : .crossed
    }

    /// Returns the area of a box that the circle cuts off; the box lies within the square.
    func cutArea(of box: PlaneBox) -> Double {
        let box = quadrant(of: box)
        guard !box.isEmpty else { return 0 }
        let kept =
            discArea(box.right, box.bottom) - discArea(box.left, box.bottom)
            - discArea(box.right, box.top) + discArea(box.left, box.top)
        return box.area - kept
    }

    var columns: ClosedRange<Double> { min(x, x + outward.x * radius)...max(x, x + outward.x * radius) }

    var rows: ClosedRange<Double> { min(y, y + outward.y * radius)...max(y, y + outward.y * radius) }

    /// The part of a box on the corner's side of the centre, mirrored so that the corner points right and
    /// down from 0.
    private func quadrant(of box: PlaneBox) -> PlaneBox {
        let (x0, x1) = ((box.left - x) * outward.x, (box.right - x) * outward.x)
        let (y0, y1) = ((box.top - y) * outward.y, (box.bottom - y) * outward.y)
        return PlaneBox(
            left: max(0, min(x0, x1)),
            top: max(0, min(y0, y1)),
            right: max(x0, x1),
            bottom: max(y0, y1)
        )
    }

    /// The area of the quarter disc around 0 within the rectangle from 0 to a point.
    private func discArea(_ width: Double, _ height: Double) -> Double {
        let (width, height) = (min(width, radius), min(height, radius))
        // To the left of the crossing, the circle is above the rectangle; to the right, it cuts the
        // rectangle.
        let crossing = (radius * radius - height * height).squareRoot()
        guard width > crossing else { return width * height }
        return crossing * height + arcArea(width) - arcArea(crossing)
    }

    /// The area under the circle from 0 to a width.
    private func arcArea(_ width: Double) -> Double {
        let height = max(0, radius * radius - width * width).squareRoot()
        return (width * height + radius * radius * atan2(width, height)) / 2
    }
}
