public import CalotypeCore

/// A transform of images: a value, equal to another if both always return the same pixels.
///
/// ``TransformChain`` creates the transforms of Calotype. A custom transform conforms to this protocol, and
/// gets a factory like theirs in an extension of ``TransformChain``.
public protocol ImageTransform: Hashable, Sendable {
    /// The transform with its version and all its properties as text, for cache keys.
    ///
    /// Two transforms have the same text if and only if they are equal. Example: `vignette-1(strength=0.5)`.
    /// The name distinguishes it from other transforms; the version is incremented when the same properties
    /// return different pixels than before; numbers are written so that they can be read back exactly, like
    /// Swift's `description`.
    var cacheIdentity: String { get }

    /// Whether an animated image is transformed frame by frame, as each is shown; true by default.
    ///
    /// Otherwise the result is a still: the transformed first frame.
    var appliesPerFrame: Bool { get }

    /// Whether it accepts and returns images of more than 8 bits a channel; false by default.
    ///
    /// Otherwise a chain rounds them to 8 bits before it applies the transform, which receives only `gray8`,
    /// `rgb8` and `rgba8`.
    var keepsDepth: Bool { get }

    /// Validates the properties as far as possible without an image; does nothing by default.
    ///
    /// Called before anything is loaded.
    ///
    /// - Throws: ``TransformError`` with `invalidParameter`, or an error of your own.
    func validate() throws

    /// Transforms a still image, or one frame.
    ///
    /// Called on a thread that may block. All frames of an animation must result in the same size.
    ///
    /// Colours are sRGB: a chain converts an image of another space before it applies a custom transform.
    ///
    /// - Parameter image: The image; its `animation` is ignored.
    /// - Returns: A still image with the scale, the format and the metadata of the input.
    /// - Throws: ``TransformError``, or an error of your own.
    func apply(to image: Image) throws -> Image
}

extension ImageTransform {
    /// True: each frame is transformed.
    public var appliesPerFrame: Bool { true }

    /// False: it computes in 8 bits.
    public var keepsDepth: Bool { false }

    /// Checks nothing.
    public func validate() throws {}
}

extension ImageTransform {
    func apply(toAnyDepth image: Image) throws -> Image {
        guard image.pixelFormat.isDeep, !keepsDepth else { return try apply(to: image) }
        return try apply(
            to: TransformError.rethrowing { () throws(DecodeError) in
                try image.reducedToEightBits()
            }
        )
    }
}

/// A transform whose effect depends on the content of an image, and is the same for all frames.
protocol FrameDependentTransform: ImageTransform {
    /// Returns the transform for this image, which no longer depends on the content.
    ///
    /// - Throws: ``TransformError``.
    func resolved(for frame: Image) throws -> any ImageTransform
}
