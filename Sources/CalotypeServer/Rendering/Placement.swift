import CalotypeCore
import CalotypeTransforms

/// The position of a box within another one, in either direction.
struct Placement: Hashable, Sendable {
    enum Anchor: Hashable, Sendable {
        case side(Gravity)
        /// The part that draws attention.
        case smart
        /// A focus point; each coordinate is 0...1.
        case focus(x: Double, y: Double)
    }

    var anchor = Anchor.side(.center)
    /// Pixels if the amount is at least 1, else a fraction of the outer side; inwards from a side.
    var offsetX = 0.0
    var offsetY = 0.0

    static let center = Placement()

    /// Returns the top left corner of a box in another one, by imgproxy's arithmetic.
    ///
    /// - Parameters:
    ///   - inner: The inner size; no side is longer than that of `outer` if it stays inside.
    ///   - outer: The outer size.
    ///   - scale: The factor of offsets in pixels.
    ///   - staysInside: Whether the inner box lies within the outer one; otherwise at least one pixel of each
    ///     side does.
    /// - Returns: The corner.
    func origin(
        of inner: PixelSize,
        in outer: PixelSize,
        scale: Double,
        staysInside: Bool = true
    ) -> (x: Int, y: Int) {
        let x = Self.start(horizontal, inner.width, outer.width, Self.offset(offsetX, outer.width, scale))
        let y = Self.start(vertical, inner.height, outer.height, Self.offset(offsetY, outer.height, scale))
        return (
            Self.clamped(x, inner.width, outer.width, staysInside),
            Self.clamped(y, inner.height, outer.height, staysInside)
        )
    }

    private static func clamped(_ start: Int, _ inner: Int, _ outer: Int, _ staysInside: Bool) -> Int {
        staysInside
            ? min(max(0, start), max(0, outer - inner)) : min(max(1 - inner, start), outer - 1)
    }

    private enum Axis {
        case start, middle, end
        case focus(Double)
    }

    /// Returns an offset in whole pixels.
    static func offset(_ offset: Double, _ side: Int, _ scale: Double) -> Int {
        Int((abs(offset) >= 1 ? offset * scale : Double(side) * offset).rounded(.toNearestOrEven))
    }

    private static func start(_ axis: Axis, _ inner: Int, _ outer: Int, _ offset: Int) -> Int {
        let room = outer - inner
        return switch axis {
        case .start: offset
        case .end: room - offset
        case .middle: Int((Double(room + 1) / 2).rounded(.toNearestOrEven)) + offset
        case .focus(let part):
            Int((Double(outer) * part).rounded(.toNearestOrEven)) - inner / 2
        }
    }

    private var horizontal: Axis {
        switch anchor {
        case .smart: .middle
        case .focus(let x, _): .focus(x)
        case .side(.topLeft), .side(.left), .side(.bottomLeft): .start
        case .side(.top), .side(.center), .side(.bottom): .middle
        case .side(.topRight), .side(.right), .side(.bottomRight): .end
        }
    }

    private var vertical: Axis {
        switch anchor {
        case .smart: .middle
        case .focus(_, let y): .focus(y)
        case .side(.topLeft), .side(.top), .side(.topRight): .start
        case .side(.left), .side(.center), .side(.right): .middle
        case .side(.bottomLeft), .side(.bottom), .side(.bottomRight): .end
        }
    }

    var identity: String {
        let anchor =
            switch anchor {
            case .side(let gravity): gravity.rawValue
            case .smart: "smart"
            case .focus(let x, let y): "focus:\(x):\(y)"
            }
        return "\(anchor):\(offsetX):\(offsetY)"
    }
}

extension Int {
    /// Rounds to the nearest whole number, halves away from zero; clamped so that arithmetic on sides cannot
    /// overflow.
    init(clamping value: Double) {
        self = value.isFinite ? Int(Swift.min(Swift.max(value.rounded(), -1e9), 1e9)) : 1_000_000_000
    }
}
