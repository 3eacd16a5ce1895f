import CalotypeCore
import CalotypeTransforms

/// Pixel coverage of shapes, sampled at many points per pixel: slow, and independent of the library's
/// geometry.
enum ExactShapes {
    /// Whether a point is within a rectangle at 0 with round corners, at least `inset` away from its edge.
    static func contains(_ x: Double, _ y: Double, _ size: PixelSize, _ radii: CornerRadii, inset: Double)
        -> Bool
    {
        let (width, height) = (Double(size.width), Double(size.height))
        guard x >= inset, y >= inset, x <= width - inset, y <= height - inset else { return false }
        let corners = [
            (radii.topLeft, radii.topLeft - x, radii.topLeft - y),
            (radii.topRight, x - (width - radii.topRight), radii.topRight - y),
            (radii.bottomRight, x - (width - radii.bottomRight), y - (height - radii.bottomRight)),
            (radii.bottomLeft, radii.bottomLeft - x, y - (height - radii.bottomLeft)),
        ]
        return corners.allSatisfy { radius, dx, dy in
            guard dx > 0, dy > 0 else { return true }
            return (dx * dx + dy * dy).squareRoot() <= radius - inset
        }
    }

    /// The covered fraction of a pixel, from 48 × 48 samples.
    static func coverage(
        _ x: Int,
        _ y: Int,
        _ size: PixelSize,
        _ radii: CornerRadii,
        inset: Double = 0
    ) -> Double {
        let isInside = [(x, y), (x + 1, y), (x, y + 1), (x + 1, y + 1)].allSatisfy {
            contains(Double($0), Double($1), size, radii, inset: inset)
        }
        // The shapes are convex.
        guard !isInside else { return 1 }
        let steps = 48
        var count = 0
        for row in 0..<steps {
            for column in 0..<steps {
                let pointX = Double(x) + (Double(column) + 0.5) / Double(steps)
                let pointY = Double(y) + (Double(row) + 0.5) / Double(steps)
                if contains(pointX, pointY, size, radii, inset: inset) { count += 1 }
            }
        }
        return Double(count) / Double(steps * steps)
    }
}
