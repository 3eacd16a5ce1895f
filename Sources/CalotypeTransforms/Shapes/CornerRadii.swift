import CalotypeCore

/// How round each corner of a picture is: the radii of quarter circles, in pixels.
public struct CornerRadii: Hashable, Sendable, Codable {
    /// Of the top left corner, in pixels.
    public var topLeft: Double
    /// Of the top right corner, in pixels.
    public var topRight: Double
    /// Of the bottom right corner, in pixels.
    public var bottomRight: Double
    /// Of the bottom left corner, in pixels.
    public var bottomLeft: Double

    /// Creates radii; a corner that is not named stays square.
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
    /// The greatest radius: as long as the longest side.
    static let radiusMax = Double(ResultLimit.sideMax)

    /// Clockwise from the top left.
    private var all: [Double] { [topLeft, topRight, bottomRight, bottomLeft] }

    /// Whether no corner is round.
    var areSquare: Bool { all.allSatisfy { $0 == 0 } }

    /// The radii with each changed in the same way.
    func mapping(_ change: (Double) -> Double) -> CornerRadii {
        CornerRadii(
            topLeft: change(topLeft),
            topRight: change(topRight),
            bottomRight: change(bottomRight),
            bottomLeft: change(bottomLeft)
        )
    }

    /// The radii, made smaller by one factor for all where two of them are longer than their side together.
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
        for radius in all where !(0...Self.radiusMax).contains(radius) {
            throw .invalid("a corner of radius \(radius); it is 0...\(Self.radiusMax) pixels")
        }
    }
}

extension Identity {
    func with(_ radii: CornerRadii) -> Identity {
        with("topLeft", radii.topLeft).with("topRight", radii.topRight)
            .with("bottomRight", radii.bottomRight).with("bottomLeft", radii.bottomLeft)
    }
}
