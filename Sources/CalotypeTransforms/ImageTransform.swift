public import CalotypeCore

/// A way from one image to another: a value, equal to another where both always give the same pixels.
///
/// Those of Calotype are made by ``TransformChain``. One of your own conforms to this protocol, and gets a
/// spelling like theirs by an extension of ``TransformChain``.
public protocol ImageTransform: Hashable, Sendable {
    /// The transform with its version and all its properties as text, for cache keys.
    ///
    /// Two transforms have the same text exactly where they are equal. As `vignette-1(strength=0.5)`: the
    /// name tells it from the transforms of others; the version goes up when the same properties give other
    /// pixels than before; numbers are written so that they can be read back exactly, as Swift's
    /// `description` does.
    var cacheIdentity: String { get }

    /// Whether an animated image is transformed frame by frame, as each is shown; true unless set.
    ///
    /// Else the result is a still: what becomes of the first frame.
    var appliesPerFrame: Bool { get }

    /// Whether it takes and gives images of more than 8 bits a channel as they are; false unless set.
    ///
    /// Else a chain rounds them to 8 bits before it applies the transform, which sees `gray8`, `rgb8` and
    /// `rgba8` alone.
    var keepsDepth: Bool { get }

    /// Checks the properties as far as they can be checked without an image; checks nothing unless
    /// implemented.
    ///
    /// Called before anything is loaded.
    ///
    /// - Throws: ``TransformError`` with `invalidParameter`, or an error of your own.
    func validate() throws

    /// Transforms a still image, or one frame.
    ///
    /// Called on a thread that may block. A frame of an animation gives the same size as every other frame
    /// does.
    ///
    /// - Parameter image: The image; its `animation` is not looked at.
    /// - Returns: A still image. It keeps the scale, the format and the metadata of the one it was made of.
    /// - Throws: ``TransformError``, or an error of your own.
    func apply(to image: Image) throws -> Image
}

extension ImageTransform {
    /// True: each frame is transformed.
    public var appliesPerFrame: Bool { true }

    /// False: it counts in 8 bits.
    public var keepsDepth: Bool { false }

    /// Checks nothing.
    public func validate() throws {}
}

extension ImageTransform {
    /// Transforms an image of any depth.
    func apply(toAnyDepth image: Image) throws -> Image {
        guard image.pixelFormat.isDeep, !keepsDepth else { return try apply(to: image) }
        return try apply(
            to: TransformError.rethrowing { () throws(DecodeError) in
                try image.reducedToEightBits()
            }
        )
    }
}

/// A transform that looks at a picture to decide what to do with it, and does the same with each frame.
protocol FrameDependentTransform: ImageTransform {
    /// What it does with this picture, as a transform that looks at nothing.
    ///
    /// - Throws: ``TransformError``.
    func resolved(for frame: Image) throws -> any ImageTransform
}
