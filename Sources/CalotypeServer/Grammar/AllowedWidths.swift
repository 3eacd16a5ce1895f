import CalotypeCore
import CalotypeTransforms

/// The widths that URLs without a signature may request; other widths are rounded up to one of them.
///
/// Each width is one more result that any client may request, and that the service makes and caches.
public struct AllowedWidths: Hashable, Sendable {
    /// The widths in pixels, ascending, at least one.
    public let widths: [Int]

    /// Creates a list from widths in any order; `nil` if it is empty, or a width is below 1.
    public init?(_ widths: [Int]) {
        guard !widths.isEmpty, widths.allSatisfy({ $0 >= 1 }) else { return nil }
        self.widths = Set(widths).sorted()
    }

    /// Whether a width is in the list.
    public func contains(_ width: Int) -> Bool { widths.contains(width) }

    /// Returns the smallest width of the list that is not below a width; the largest one for wider ones.
    public func rounded(_ width: Int) -> Int {
        widths.first { $0 >= width } ?? widths[widths.count - 1]
    }

    /// Returns the factor from a requested side to its rounded length.
    ///
    /// - Parameter side: The requested side in pixels, above 0; fractions are rounded first.
    /// - Returns: The factor; 1 for a side of the list.
    func factor(for side: Double) -> Double {
        let pixels = Int(clamping: side)
        let allowed = rounded(pixels)
        return allowed == pixels ? 1 : Double(allowed) / side
    }
}

extension ImgproxyLayout {
    /// Rounds the requested width up to the list, and scales the height by the same factor; a height without
    /// a width is rounded like a width.
    ///
    /// The widths are those of the result, after density and zoom.
    mutating func round(to widths: AllowedWidths) {
        if minWidth > 0 { minWidth = widths.rounded(minWidth) }
        if minHeight > 0 { minHeight = widths.rounded(minHeight) }
        guard width > 0 || height > 0 else {
            // Without a size these would be sizes of their own.
            return (zoomX, zoomY, dpr) = (1, 1, 1)
        }
        let factor = widths.factor(
            for: width > 0 ? Double(width) * zoomX * dpr : Double(height) * zoomY * dpr
        )
        // Pixels of the result, so that equal results have equal layouts.
        if width > 0 { width = max(1, Int(clamping: Double(width) * zoomX * dpr * factor)) }
        if height > 0 { height = max(1, Int(clamping: Double(height) * zoomY * dpr * factor)) }
        if !usesDensity { dpr = 1 }
        // The free side of `force` keeps the pixels of the source.
        zoomX = type == .force && width == 0 ? 1 : 1 / dpr
        zoomY = type == .force && height == 0 ? 1 : 1 / dpr
    }

    /// Whether the density scales more than the size: padding or offsets.
    private var usesDensity: Bool {
        let placements =
            [placement, canvas.placement, aspectCanvas.placement] + (watermark.map { [$0.placement] } ?? [])
        return padding != PixelInsets() || placements.contains { $0.offsetX != 0 || $0.offsetY != 0 }
    }
}

extension ThumborLayout {
    /// Rounds the requested width up to the list, and scales the height by the same factor; a height without
    /// a width is rounded like a width.
    ///
    /// Proportions are part of the width; without a size they would be sizes of their own.
    mutating func round(to widths: AllowedWidths) {
        let scale = steps.map(\.proportion).reduce(1) { $0 * ($1 ?? 1) }
        steps.removeAll { $0.proportion != nil }
        switch (width, height) {
        case (.pixels(let across), let side):
            let factor = scale * widths.factor(for: Double(across) * scale)
            width = .pixels(max(1, Int(clamping: Double(across) * factor)))
            if case .pixels(let down) = side {
                height = .pixels(max(1, Int(clamping: Double(down) * factor)))
            }
        case (_, .pixels(let down)):
            height = .pixels(widths.rounded(Int(clamping: Double(down) * scale)))
        default: break
        }
    }
}

extension ThumborLayout.Step {
    /// The factor of a proportion; `nil` for any other step.
    fileprivate var proportion: Double? {
        guard case .proportion(let part) = self else { return nil }
        return part
    }
}
