import CalotypeCodecs
import CalotypeCore

/// A rotation by one, two or three right angles.
public enum QuarterTurn: Int, Hashable, Sendable, CaseIterable, Codable {
    /// A right angle clockwise.
    case clockwise90 = 90
    /// Upside down.
    case clockwise180 = 180
    /// A right angle counter-clockwise.
    case clockwise270 = 270
}

/// Rotates an image by right angles (`vips_rot`), without changing pixels.
struct Turn: VipsTransform, ScalableTransform {
    let turn: QuarterTurn

    /// True if width and height are swapped.
    var isTransposing: Bool { turn != .clockwise180 }

    var cacheIdentity: String { Identity("turn").with("clockwise", turn.rawValue).text }

    var keepsDepth: Bool { true }

    func apply(to image: Image) throws -> Image {
        guard image.pixelFormat.isDeep else { return try image.computed { try applied(to: $0) } }
        let orientation: Orientation =
            switch turn {
            case .clockwise90: .right
            case .clockwise180: .down
            case .clockwise270: .left
            }
        return try TransformError.rethrowing { () throws(DecodeError) in
            try image.turnedPixels(as: orientation)
        }
    }

    func resultSize(of size: PixelSize) -> PixelSize { isTransposing ? size.transposed : size }

    func scaled(from size: PixelSize, to newSize: PixelSize) -> any ScalableTransform { self }

    func applied(to picture: VipsPicture) throws(CodecFailure) -> VipsPicture {
        try picture.applying(.rot, [.text("angle", "d\(turn.rawValue)")])
    }
}

extension TransformChain {
    /// Rotates an image clockwise by right angles, exactly.
    ///
    /// - Parameter turn: The angle.
    /// - Returns: The transform.
    public static func rotate(_ turn: QuarterTurn) -> TransformChain {
        TransformChain(Turn(turn: turn))
    }
}
