import CalotypeTransforms

/// The middle of focal areas, weighted by their area.
///
/// - SeeAlso: `get_center_of_mass` in `thumbor/transformer.py` of thumbor 7.8.
struct ThumborFocus: Hashable {
    /// Whole pixels from the left.
    let x: Double
    /// Whole pixels from the top.
    let y: Double

    /// Creates the focus of a source, or of a part of it; `nil` without areas whose middle is in the part.
    ///
    /// - Parameters:
    ///   - areas: The areas in pixels of the source; not empty ones.
    ///   - part: The part; the whole source by default.
    init?(_ areas: [PixelRect], in part: PixelRect? = nil) {
        let points = areas.map { area in
            (
                x: Double(area.x) + Double(area.width) / 2,
                y: Double(area.y) + Double(area.height) / 2,
                weight: Double(area.width) * Double(area.height)
            )
        }
        let known = points.filter { point in
            guard let part else { return true }
            let isInside = { (value: Double, start: Int, length: Int) in
                value >= Double(start) && value <= Double(start) + Double(length)
            }
            return isInside(point.x, part.x, part.width) && isInside(point.y, part.y, part.height)
        }
        let weight = known.reduce(0) { $0 + $1.weight }
        guard weight > 0 else { return nil }
        let (left, top) = (Double(part?.x ?? 0), Double(part?.y ?? 0))
        x = (known.reduce(0) { $0 + ($1.x - left) * $1.weight } / weight).rounded(.down)
        y = (known.reduce(0) { $0 + ($1.y - top) * $1.weight } / weight).rounded(.down)
    }
}
