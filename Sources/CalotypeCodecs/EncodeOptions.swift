public import CalotypeCore

/// The settings that encoders of all formats share.
public struct EncodeOptions: Hashable, Sendable {
    /// The most bytes the result may have; the quality is lowered until it fits.
    ///
    /// `nil`, the default, for no limit.
    public var byteCountMax: Int?

    /// The room for the encoded image, which is made smaller where it is larger; `nil`, the default, keeps
    /// its size.
    public var sizeMax: PixelBox?

    /// What shows through translucent pixels in a format without alpha; white unless set.
    public var background: RGBColor

    /// Which frames of an animated image are written, in a format that has animations; all of them unless
    /// set.
    public var frames: FrameSelection

    /// Whether the result says whose the picture is, where its `metadata` does: EXIF's Artist and Copyright,
    /// and nothing else; false unless set.
    ///
    /// JPEG, PNG, WebP and AVIF are written so; the others leave it out.
    public var keepsCopyright: Bool

    /// Creates options; each default is stated at its property.
    ///
    /// - Parameters:
    ///   - byteCountMax: The most bytes the result may have.
    ///   - sizeMax: The room for the encoded image.
    ///   - background: What shows through translucent pixels.
    ///   - frames: Which frames of an animated image are written.
    ///   - keepsCopyright: Whether the result says whose the picture is.
    public init(
        byteCountMax: Int? = nil,
        sizeMax: PixelBox? = nil,
        background: RGBColor = .white,
        frames: FrameSelection = .all,
        keepsCopyright: Bool = false
    ) {
        self.byteCountMax = byteCountMax
        self.sizeMax = sizeMax
        self.background = background
        self.frames = frames
        self.keepsCopyright = keepsCopyright
    }
}
