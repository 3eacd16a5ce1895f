public import CalotypeCore

/// A line along the inside of the edges of an image or a shape.
public struct Stroke: Hashable, Sendable, Codable {
    /// The width in pixels; fractional widths are antialiased.
    public var width: Double

    /// The colour; may be translucent.
    public var color: RGBAColor

    /// Creates a line from a width in pixels and a colour.
    public init(width: Double, color: RGBAColor) {
        self.width = width
        self.color = color
    }
}

extension Stroke {
    /// The maximum width: the length of the longest side.
    static let maxWidth = Double(ResultLimit.maxSide)

    func validate() throws(TransformError) {
        guard width > 0, width <= Self.maxWidth else {
            throw .invalid("border width \(width) is out of range; use above 0 and at most \(Self.maxWidth)")
        }
    }
}

extension Identity {
    /// Adds the width and the colour of a border, if any.
    func with(_ border: Stroke?) -> Identity {
        guard let border else { return self }
        return with("border", border.width).with("color", border.color)
    }
}
