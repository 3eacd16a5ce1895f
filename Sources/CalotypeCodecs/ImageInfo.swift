public import CalotypeCore

/// What the header of an encoded image tells; nothing is decoded for it.
public struct ImageInfo: Hashable, Sendable {
    /// The format of the bytes.
    public var format: ImageFormat
    /// Width and height as stored, before the orientation.
    public var size: PixelSize
    /// The orientation that is stated.
    public var orientation: Orientation
    /// The number of frames; 1 for a still.
    public var frameCount: Int
    /// How often the animation plays; `nil` for a still.
    public var loopCount: LoopCount?
    /// How long one loop of the animation takes; `nil` for a still.
    public var animationDuration: Duration?
    /// Whether the file has an alpha channel or a transparent colour.
    public var hasAlpha: Bool
    /// Whether the file holds a colour profile.
    public var hasColorProfile: Bool
    /// The most bits that a channel of the stored pixels has; 8 where they are looked up in a palette.
    ///
    /// An ordinary decode rounds to 8.
    public var bitDepth: Int
    /// How much brighter than white the stored pixels can be.
    public var dynamicRange: DynamicRange
    /// What an ordinary decode gives.
    public var pixelFormat: PixelFormat

    /// Creates a description; a still, upright, opaque and without a profile unless told otherwise.
    ///
    /// - Parameters:
    ///   - format: The format of the bytes.
    ///   - size: Width and height as stored.
    ///   - orientation: The orientation that is stated.
    ///   - frameCount: The number of frames.
    ///   - loopCount: How often the animation plays.
    ///   - animationDuration: How long one loop takes.
    ///   - hasAlpha: Whether there is an alpha channel or a transparent colour.
    ///   - hasColorProfile: Whether there is a colour profile.
    ///   - bitDepth: The most bits that a channel has.
    ///   - dynamicRange: How much brighter than white the pixels can be.
    ///   - pixelFormat: What an ordinary decode gives.
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
