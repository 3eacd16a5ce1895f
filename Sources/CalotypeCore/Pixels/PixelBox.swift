/// The bounds of an image: a width and a height in pixels, either of which may be open.
///
/// Sizes computed from a box follow one rounding rule: the limiting side is exact, the other is rounded to
/// the nearest pixel and is at least 1. A box never enlarges.
///
/// A side may have any value, for example from a URL; decoding or encoding into a box smaller than a pixel
/// throws a typed error.
public struct PixelBox: Hashable, Sendable, Codable {
    /// The maximum width in pixels; `nil` for an open width.
    public var width: Int?

    /// The maximum height in pixels; `nil` for an open height.
    public var height: Int?

    /// Creates a box; a missing side is open.
    public init(width: Int? = nil, height: Int? = nil) {
        self.width = width
        self.height = height
    }

    /// Creates a box without open sides.
    public init(_ size: PixelSize) {
        self.init(width: size.width, height: size.height)
    }

    /// True if each given side is at least 1 pixel.
    public var fitsOnePixel: Bool { (width ?? 1) >= 1 && (height ?? 1) >= 1 }

    /// Returns the largest size of the same proportions within the box, or `size` if it fits already.
    public func fitting(_ size: PixelSize) -> PixelSize { fitting(size, enlarges: false) }

    /// Returns the smallest size of the same proportions that covers the box, or `size` if it is smaller.
    ///
    /// An open side has no effect: the other side decides, as in ``fitting(_:)``.
    public func filling(_ size: PixelSize) -> PixelSize { filling(size, enlarges: false) }

    /// Returns the largest size of the same proportions within the box.
    package func fitting(_ size: PixelSize, enlarges: Bool) -> PixelSize {
        scaled(size, enlarges) { widthScale, heightScale in widthScale < heightScale }
    }

    /// Returns the smallest size of the same proportions that covers the box.
    package func filling(_ size: PixelSize, enlarges: Bool) -> PixelSize {
        scaled(size, enlarges) { widthScale, heightScale in widthScale > heightScale }
    }

    private func scaled(
        _ size: PixelSize,
        _ enlarges: Bool,
        byWidth: (Double, Double) -> Bool
    ) -> PixelSize {
        guard !size.isEmpty else { return size }
        switch (width, height) {
        case (nil, nil):
            return size
        case (let width?, nil):
            return size.scaled(toWidth: width, enlarges)
        case (nil, let height?):
            return size.scaled(toHeight: height, enlarges)
        case (let width?, let height?):
            let widthScale = Double(width) / Double(size.width)
            let heightScale = Double(height) / Double(size.height)
            return byWidth(widthScale, heightScale)
                ? size.scaled(toWidth: width, enlarges) : size.scaled(toHeight: height, enlarges)
        }
    }
}

extension PixelSize {
    /// Larger than any image, and small enough for arithmetic not to overflow.
    private static let maxSide = 1_000_000_000

    fileprivate func scaled(toWidth newWidth: Int, _ enlarges: Bool) -> PixelSize {
        let newWidth = max(1, newWidth)
        guard newWidth < width || enlarges else { return self }
        return PixelSize(
            width: min(newWidth, Self.maxSide),
            height: Self.rounded(height, times: newWidth, over: width)
        )
    }

    fileprivate func scaled(toHeight newHeight: Int, _ enlarges: Bool) -> PixelSize {
        let newHeight = max(1, newHeight)
        guard newHeight < height || enlarges else { return self }
        return PixelSize(
            width: Self.rounded(width, times: newHeight, over: height),
            height: min(newHeight, Self.maxSide)
        )
    }

    private static func rounded(_ side: Int, times numerator: Int, over denominator: Int) -> Int {
        let rounded = (Double(side) * Double(numerator) / Double(denominator)).rounded()
        return max(1, Int(min(rounded, Double(maxSide))))
    }
}
