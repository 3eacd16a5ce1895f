public import CalotypeCore
public import FoundationEssentials

/// Members that exist elsewhere: the compiler reports the replacement.
extension Image {
    /// Unavailable.
    @available(*, unavailable, message: "decode off the cooperative pool: await pipeline.image(from: data)")
    public convenience init(data: Data) { preconditionFailure("unavailable") }

    /// Unavailable.
    @available(*, unavailable, message: "encode off the cooperative pool: await pipeline.encode(image, as:)")
    public var jpegData: Data { preconditionFailure("unavailable") }

    /// Unavailable.
    @available(*, unavailable, message: "encode off the cooperative pool: await pipeline.encode(image, as:)")
    public var pngData: Data { preconditionFailure("unavailable") }

    /// Unavailable.
    @available(*, unavailable, message: "set ImageRequest.transforms, or try TransformChain.apply(to: image)")
    public func resized(to size: PixelSize) -> Image { preconditionFailure("unavailable") }

    /// Unavailable.
    @available(*, unavailable, message: "set ImageRequest.transforms, or try TransformChain.apply(to: image)")
    public func applying(_ transform: Any) -> Image { preconditionFailure("unavailable") }
}
