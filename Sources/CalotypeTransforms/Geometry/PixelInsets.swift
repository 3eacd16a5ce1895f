/// Pixels at the four sides of an image.
public struct PixelInsets: Hashable, Sendable, Codable {
    /// Rows above.
    public var top: Int
    /// Pixels to the left.
    public var left: Int
    /// Rows below.
    public var bottom: Int
    /// Pixels to the right.
    public var right: Int

    /// Creates insets; a missing side is 0.
    public init(top: Int = 0, left: Int = 0, bottom: Int = 0, right: Int = 0) {
        self.top = top
        self.left = left
        self.bottom = bottom
        self.right = right
    }

    /// Creates equal insets on all sides.
    public init(all: Int) {
        self.init(top: all, left: all, bottom: all, right: all)
    }
}
