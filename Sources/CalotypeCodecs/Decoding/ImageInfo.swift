public import CalotypeCore

/// The header of an encoded image, read without decoding pixels.
public struct ImageInfo: Hashable, Sendable {
    /// The format of the bytes.
    public var format: ImageFormat
    /// Width and height as stored, before the orientation.
    public var size: PixelSize
    /// The stated orientation.
    public var orientation: Orientation
    /// The number of frames; 1 for a still.
    public var frameCount: Int
    /// The number of times that the animation plays; `nil` for a still.
    public var loopCount: LoopCount?
    /// The duration of one loop of the animation; `nil` for a still.
    public var animationDuration: Duration?
    /// Whether the file has an alpha channel or a transparent colour.
    public var hasAlpha: Bool
    /// Whether the file holds a colour profile.
    public var hasColorProfile: Bool
    /// The maximum bits of a stored channel; 8 for palettes.
    ///
    /// An ordinary decode rounds to 8.
    public var bitDepth: Int
    /// The brightness range of the stored pixels.
    public var dynamicRange: DynamicRange
    /// The pixel format of an ordinary decode.
    public var pixelFormat: PixelFormat

    /// Creates a description; by default a still, upright, opaque and without a profile.
    ///
    /// - Parameters:
    ///   - format: The format of the bytes.
    ///   - size: Width and height as stored.
    ///   - orientation: The orientation that is stated.
    ///   - frameCount: The number of frames.
    ///   - loopCount: The number of times that the animation plays.
    ///   - animationDuration: The duration of one loop.
    ///   - hasAlpha: True for an alpha channel or a transparent colour.
    ///   - hasColorProfile: True for a colour profile.
    ///   - bitDepth: The maximum bits of a channel.
    ///   - dynamicRange: The brightness range of the pixels.
    ///   - pixelFormat: The pixel format of an ordinary decode.
    public init(
        format: ImageFormat,
        size: PixelSize,
        orientation: Orientation = .up,
        frameCount: Int = 1,
        loopCount: LoopCount? = nil,
        animationDuration: Duration? = nil,
        hasAlpha: Bool = false,
        hasColorProfile: Bool = false,
        bitDepth: Int = 8,
        dynamicRange: DynamicRange = .standard,
        pixelFormat: PixelFormat
    ) {
        self.format = format
        self.size = size
        self.orientation = orientation
        self.frameCount = frameCount
        self.loopCount = loopCount
        self.animationDuration = animationDuration
        self.hasAlpha = hasAlpha
        self.hasColorProfile = hasColorProfile
        self.bitDepth = bitDepth
        self.dynamicRange = dynamicRange
        self.pixelFormat = pixelFormat
    }

    /// Width and height as shown: after the orientation.
    public var displaySize: PixelSize { orientation.applied(to: size) }
}
