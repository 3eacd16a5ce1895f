/// The room for an image: a width and a height in pixels, either of which may be open.
///
/// Sizes that come out of a box follow one rounding rule: the side that decides is exact, the other is
/// rounded to the nearest pixel and is at least 1. A box never enlarges.
///
/// A side may be anything, as text from outside is; whoever decodes or encodes into a box without room
/// refuses it by a typed error.
public struct PixelBox: Hashable, Sendable {
    /// The greatest width in pixels; `nil` where the width is open.
    public var width: Int?

    /// The greatest height in pixels; `nil` where the height is open.
    public var height: Int?

    /// Creates a box; a side that is not given is open.
    public init(width: Int? = nil, height: Int? = nil) {
        self.width = width
        self.height = height
    }

    /// Creates a box with two closed sides.
    public init(_ size: PixelSize) {
        self.init(width: size.width, height: size.height)
    }

    /// Whether each side that is given is at least 1 pixel.
    public var hasRoom: Bool { (width ?? 1) >= 1 && (height ?? 1) >= 1 }

    /// The greatest size of the same proportions that lies within the box, or `size` where it does already.
    public func fitting(_ size: PixelSize) -> PixelSize { fitting(size, enlarges: false) }

    /// The least size of the same proportions that covers the box, or `size` where it is smaller.
    ///
    /// An open side asks nothing, so with one open side the other decides, as for ``fitting(_:)``.
    public func filling(_ size: PixelSize) -> PixelSize { filling(size, enlarges: false) }

    /// The greatest size of the same proportions that lies within the box.
    package func fitting(_ size: PixelSize, enlarges: Bool) -> PixelSize {
        scaled(size, enlarges) { widthScale, heightScale in widthScale < heightScale }
    }

    /// The least size of the same proportions that covers the box.
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
    /// What no image reaches, and arithmetic does not overflow by.
    private static let sideMax = 1_000_000_000

    fileprivate func scaled(toWidth newWidth: Int, _ enlarges: Bool) -> PixelSize {
        let newWidth = max(1, newWidth)
        guard newWidth < width || enlarges else { return self }
        return PixelSize(
            width: min(newWidth, Self.sideMax),
            height: Self.rounded(height, times: newWidth, over: width)
        )
    }

    fileprivate func scaled(toHeight newHeight: Int, _ enlarges: Bool) -> PixelSize {
        let newHeight = max(1, newHeight)
        guard newHeight < height || enlarges else { return self }
        return PixelSize(
            width: Self.rounded(width, times: newHeight, over: height),
            height: min(newHeight, Self.sideMax)
        )
    }

    private static func rounded(_ side: Int, times numerator: Int, over denominator: Int) -> Int {
        let rounded = (Double(side) * Double(numerator) / Double(denominator)).rounded()
        return max(1, Int(min(rounded, Double(sideMax))))
    }
}
