public import CalotypeCore

/// A line along the edges of a picture or of a shape, which lies inside them.
public struct Stroke: Hashable, Sendable, Codable {
    /// How wide the line is, in pixels; parts of a pixel are drawn smooth.
    public var width: Double

    /// Its colour; what lies under it shows through where the colour is translucent.
    public var color: RGBAColor

    /// Creates a line of a width in pixels, and a colour.
    public init(width: Double, color: RGBAColor) {
        self.width = width
        self.color = color
    }
}

extension Stroke {
    /// The greatest width: as long as the longest side.
    static let widthMax = Double(ResultLimit.sideMax)

    func validate() throws(TransformError) {
        guard width > 0, width <= Self.widthMax else {
            throw .invalid("a border \(width) pixels wide; it is above 0 and at most \(Self.widthMax)")
        }
    }
}

extension Identity {
    /// Adds the width and the colour of a border; nothing where there is none.
    func with(_ border: Stroke?) -> Identity {
        guard let border else { return self }
        return with("border", border.width).with("color", border.color)
    }
}
