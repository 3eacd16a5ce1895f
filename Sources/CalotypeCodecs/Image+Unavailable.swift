public import CalotypeCore
public import FoundationEssentials

/// What is looked for at an image and is found elsewhere: the compiler says where.
extension Image {
    /// Found elsewhere.
    @available(*, unavailable, message: "decode off the cooperative pool: await pipeline.image(from: data)")
    public convenience init(data: Data) { preconditionFailure("unavailable") }

    /// Found elsewhere.
    @available(*, unavailable, message: "encode off the cooperative pool: await pipeline.encode(image, as:)")
    public var jpegData: Data { preconditionFailure("unavailable") }

    /// Found elsewhere.
    @available(*, unavailable, message: "encode off the cooperative pool: await pipeline.encode(image, as:)")
    public var pngData: Data { preconditionFailure("unavailable") }

    /// Found elsewhere.
    @available(*, unavailable, message: "set ImageRequest.transforms, or try TransformChain.apply(to: image)")
    public func resized(to size: PixelSize) -> Image { preconditionFailure("unavailable") }

    /// Found elsewhere.
    @available(*, unavailable, message: "set ImageRequest.transforms, or try TransformChain.apply(to: image)")
    public func applying(_ transform: Any) -> Image { preconditionFailure("unavailable") }
}
