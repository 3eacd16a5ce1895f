/// A rectangle in the plane in which a pixel is a square of side 1; empty if its end precedes its start.
struct PlaneBox {
    var left: Double
    var top: Double
    var right: Double
    var bottom: Double
}

extension PlaneBox {
    /// The square of a pixel.
    init(x: Int, y: Int) {
        self.init(left: Double(x), top: Double(y), right: Double(x + 1), bottom: Double(y + 1))
    }

    var isEmpty: Bool { left >= right || top >= bottom }

    var area: Double { isEmpty ? 0 : (right - left) * (bottom - top) }

    func intersection(_ other: PlaneBox) -> PlaneBox {
        PlaneBox(
            left: max(left, other.left),
            top: max(top, other.top),
            right: min(right, other.right),
            bottom: min(bottom, other.bottom)
        )
    }
}
