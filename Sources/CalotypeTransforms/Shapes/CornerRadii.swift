import CalotypeCore

/// The radii of an image's rounded corners, in pixels.
public struct CornerRadii: Hashable, Sendable, Codable {
    /// The radius of the top left corner, in pixels.
    public var topLeft: Double
    /// The radius of the top right corner, in pixels.
    public var topRight: Double
    /// The radius of the bottom right corner, in pixels.
    public var bottomRight: Double
    /// The radius of the bottom left corner, in pixels.
    public var bottomLeft: Double

    /// Creates radii; a missing corner stays square.
    public init(
        topLeft: Double = 0,
        topRight: Double = 0,
        bottomRight: Double = 0,
        bottomLeft: Double = 0
    ) {
        self.topLeft = topLeft
        self.topRight = topRight
        self.bottomRight = bottomRight
        self.bottomLeft = bottomLeft
    }

    /// Creates the same radius for all corners, in pixels.
    public init(_ radius: Double) {
        self.init(topLeft: radius, topRight: radius, bottomRight: radius, bottomLeft: radius)
    }
}

extension CornerRadii {
    /// The maximum radius: the length of the longest side.
    static let maxRadius = Double(ResultLimit.maxSide)

    /// Clockwise from the top left.
    private var all: [Double] { [topLeft, topRight, bottomRight, bottomLeft] }

    /// True if all corners are square.
    var areSquare: Bool { all.allSatisfy { $0 == 0 } }

    /// Returns the radii, each mapped by a closure.
    func mapping(_ change: (Double) -> Double) -> CornerRadii {
        CornerRadii(
            topLeft: change(topLeft),
            topRight: change(topRight),
            bottomRight: change(bottomRight),
            bottomLeft: change(bottomLeft)
        )
    }

    /// Returns the radii, reduced by a common factor if two of them exceed their side together.
    ///
    /// - SeeAlso: CSS Backgrounds and Borders Level 3, section 5.5.
    func fitting(_ size: PixelSize) -> CornerRadii {
        let (width, height) = (Double(size.width), Double(size.height))
        let factor = min(
            Self.factor(width, topLeft + topRight),
            Self.factor(width, bottomLeft + bottomRight),
            Self.factor(height, topLeft + bottomLeft),
            Self.factor(height, topRight + bottomRight)
        )
        return mapping { $0 * factor }
    }

    private static func factor(_ side: Double, _ radii: Double) -> Double {
        radii > side ? side / radii : 1
    }

    func validate() throws(TransformError) {
        for radius in all where !(0...Self.maxRadius).contains(radius) {
            throw .invalid("corner radius \(radius) is out of range; use 0...\(Self.maxRadius) pixels")
        }
    }
}

extension Identity {
    func with(_ radii: CornerRadii) -> Identity {
        with("topLeft", radii.topLeft).with("topRight", radii.topRight)
            .with("bottomRight", radii.bottomRight).with("bottomLeft", radii.bottomLeft)
    }
}
