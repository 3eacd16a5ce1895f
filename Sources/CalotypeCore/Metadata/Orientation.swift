/// The transformation of the stored rows and columns that shows an image upright.
///
/// The raw values are those of the EXIF tag 0x0112 (EXIF 2.32, table 4): the sides of the scene that the
/// first row and the first column show.
public enum Orientation: Int, Hashable, Sendable, CaseIterable {
    /// Row 0 is the top, column 0 the left: no change needed.
    case up = 1
    /// Mirrored left to right.
    case upMirrored = 2
    /// Upside down: turned by 180°.
    case down = 3
    /// Mirrored top to bottom.
    case downMirrored = 4
    /// Mirrored along the main diagonal.
    case leftMirrored = 5
    /// To be turned by 90° clockwise.
    case right = 6
    /// Mirrored along the other diagonal.
    case rightMirrored = 7
    /// To be turned by 90° counter-clockwise.
    case left = 8

    /// True if applying it swaps width and height.
    public var swapsSides: Bool { rawValue >= 5 }

    /// Returns the size after applying the orientation.
    public func applied(to size: PixelSize) -> PixelSize {
        swapsSides ? size.transposed : size
    }
}
