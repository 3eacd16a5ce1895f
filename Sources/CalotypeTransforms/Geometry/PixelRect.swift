public import CalotypeCore

/// A rectangle of pixels, measured from the top left corner of an image.
public struct PixelRect: Hashable, Sendable, Codable {
    /// Pixels to the left of it.
    public var x: Int

    /// Rows above it.
    public var y: Int

    /// Pixels in a row of it.
    public var width: Int

    /// Its rows.
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
    /// The whole of an image.
    init(_ size: PixelSize) {
        self.init(x: 0, y: 0, width: size.width, height: size.height)
    }

    /// A part of an image that holds to a side or corner of it.
    init(_ part: PixelSize, in size: PixelSize, gravity: Gravity) {
        let origin = gravity.origin(of: part, in: size)
        self.init(x: origin.x, y: origin.y, width: part.width, height: part.height)
    }

    /// What of it lies within an image; `nil` where nothing does.
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

    /// The same part of the picture at another size: edges go to the nearest pixel, at least 1 is left.
    ///
    /// - Precondition: The rectangle lies within `size`, and none of them is empty.
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
