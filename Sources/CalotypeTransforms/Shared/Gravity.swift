import CalotypeCore

/// The side or corner of a box that another box is aligned to.
public enum Gravity: String, Hashable, Sendable, CaseIterable, Codable {
    /// The top left corner.
    case topLeft
    /// The middle of the top side.
    case top
    /// The top right corner.
    case topRight
    /// The middle of the left side.
    case left
    /// The middle.
    case center
    /// The middle of the right side.
    case right
    /// The bottom left corner.
    case bottomLeft
    /// The middle of the bottom side.
    case bottom
    /// The bottom right corner.
    case bottomRight
}

extension Gravity {
    /// Returns the position of a box's top left corner within another.
    ///
    /// The middle rounds to the left or the top. A coordinate is negative if the box is larger than the room.
    ///
    /// - Precondition: All sides are at least 0.
    func origin(of box: PixelSize, in room: PixelSize) -> (x: Int, y: Int) {
        (
            Self.start(horizontal, of: room.width - box.width),
            Self.start(vertical, of: room.height - box.height)
        )
    }

    private enum Place {
        case start, middle, end
    }

    private var horizontal: Place {
        switch self {
        case .topLeft, .left, .bottomLeft: .start
        case .top, .center, .bottom: .middle
        case .topRight, .right, .bottomRight: .end
        }
    }

    private var vertical: Place {
        switch self {
        case .topLeft, .top, .topRight: .start
        case .left, .center, .right: .middle
        case .bottomLeft, .bottom, .bottomRight: .end
        }
    }

    private static func start(_ place: Place, of room: Int) -> Int {
        switch place {
        case .start: 0
        // A shift rounds down for negative numbers too.
        case .middle: room >> 1
        case .end: room
        }
    }
}
