public import CalotypeCore

/// A rectangle of pixels, measured from the top left corner of an image.
public struct PixelRect: Hashable, Sendable, Codable {
    /// The distance from the left edge, in pixels.
    public var x: Int

    /// The distance from the top edge, in rows.
    public var y: Int

    /// The width in pixels.
    public var width: Int

    /// The height in rows.
    public var height: Int

    /// Creates a rectangle from its top left corner and its sides, in pixels.
    public init(x: Int, y: Int, width: Int, height: Int) {
        self.x = x
        self.y = y
        self.width = width
        self.height = height
    }

    /// Width and height in pixels.
    public var size: PixelSize { PixelSize(width: width, height: height) }
}

extension PixelRect: CustomStringConvertible {
    /// The rectangle as `400×300 at (10, 20)`.
    public var description: String { "\(size) at (\(x), \(y))" }
}

extension PixelRect {
    /// Creates the rectangle of a whole image.
    init(_ size: PixelSize) {
        self.init(x: 0, y: 0, width: size.width, height: size.height)
    }

    /// Creates a part of an image, aligned to one of its sides or corners.
    init(_ part: PixelSize, in size: PixelSize, gravity: Gravity) {
        let origin = gravity.origin(of: part, in: size)
        self.init(x: origin.x, y: origin.y, width: part.width, height: part.height)
    }

    /// Returns the part of the rectangle within an image; `nil` if it lies outside.
    package func clipped(to size: PixelSize) -> PixelRect? {
        let columns = Self.clipped(start: x, count: width, to: size.width)
        let rows = Self.clipped(start: y, count: height, to: size.height)
        guard !columns.isEmpty, !rows.isEmpty else { return nil }
        return PixelRect(x: columns.lowerBound, y: rows.lowerBound, width: columns.count, height: rows.count)
    }

    private static func clipped(start: Int, count: Int, to side: Int) -> Range<Int> {
        let (end, overflow) = start.addingReportingOverflow(max(0, count))
        return (start..<(overflow ? Int.max : end)).clamped(to: 0..<side)
    }

    /// Returns the same part of the image at another size, with edges rounded to the nearest pixel and sides
    /// of at least 1.
    ///
    /// - Precondition: The rectangle lies within `size`, and all are non-empty.
    func scaled(from size: PixelSize, to newSize: PixelSize) -> PixelRect {
        let columns = Self.scaled(x..<x + width, from: size.width, to: newSize.width)
        let rows = Self.scaled(y..<y + height, from: size.height, to: newSize.height)
        return PixelRect(x: columns.lowerBound, y: rows.lowerBound, width: columns.count, height: rows.count)
    }

    private static func scaled(_ range: Range<Int>, from side: Int, to newSide: Int) -> Range<Int> {
        let factor = Double(newSide) / Double(side)
        let start = min(newSide - 1, Int((Double(range.lowerBound) * factor).rounded()))
        let end = Int((Double(range.upperBound) * factor).rounded())
        return start..<min(newSide, max(start + 1, end))
    }
}
