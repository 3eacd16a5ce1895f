import CalotypeCodecs
import CalotypeCore

/// The direction in which an image is mirrored.
public enum FlipAxis: String, Hashable, Sendable, CaseIterable, Codable {
    /// Swaps left and right.
    case horizontal
    /// Swaps top and bottom.
    case vertical
}

/// Mirrors an image (`vips_flip`).
struct Flip: VipsTransform, ScalableTransform {
    let axis: FlipAxis

    var cacheIdentity: String { Identity("flip").with("axis", axis.rawValue).text }

    var keepsDepth: Bool { true }

    func apply(to image: Image) throws -> Image {
        guard image.pixelFormat.isDeep else { return try image.computed { try applied(to: $0) } }
        return try TransformError.rethrowing { () throws(DecodeError) in
            try image.turnedPixels(as: axis == .horizontal ? .upMirrored : .downMirrored)
        }
    }

    func resultSize(of size: PixelSize) -> PixelSize { size }

    func scaled(from size: PixelSize, to newSize: PixelSize) -> any ScalableTransform { self }

    func applied(to picture: VipsPicture) throws(CodecFailure) -> VipsPicture {
        try picture.applying(.flip, [.text("direction", axis.rawValue)])
    }
}

extension TransformChain {
    /// Mirrors an image.
    ///
    /// - Parameter axis: The direction.
    /// - Returns: The transform.
    public static func flip(_ axis: FlipAxis) -> TransformChain {
        TransformChain(Flip(axis: axis))
    }
}
