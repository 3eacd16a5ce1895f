/// A width and a height in pixels.
public struct PixelSize: Hashable, Sendable, Codable {
    /// Pixels in a row.
    public var width: Int

    /// Rows.
    public var height: Int

    /// Creates a size from its two sides, in pixels.
    public init(width: Int, height: Int) {
        self.width = width
        self.height = height
    }

    /// The number of pixels; `Int.max` where the product does not fit, 0 where a side is not positive.
    public var pixelCount: Int {
        guard width > 0, height > 0 else { return 0 }
        let (product, overflow) = width.multipliedReportingOverflow(by: height)
        return overflow ? Int.max : product
    }

    /// True if the size has no pixel.
    public var isEmpty: Bool { width <= 0 || height <= 0 }

    /// The size with width and height swapped.
    public var transposed: PixelSize { PixelSize(width: height, height: width) }
}

extension PixelSize: CustomStringConvertible {
    /// The size as `400×300`.
    public var description: String { "\(width)×\(height)" }
}
