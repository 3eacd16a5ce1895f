public import CalotypeCore

/// The settings shared by the encoders of all formats.
public struct EncodeOptions: Hashable, Sendable, Codable {
    /// The maximum size of the result in bytes; the quality is lowered until the result fits.
    ///
    /// `nil`, the default, for no limit.
    public var maxByteCount: Int?

    /// The bounds of the encoded image, to which a larger one is reduced; `nil`, the default, for no change.
    public var maxSize: PixelBox?

    /// The colour behind translucent pixels in a format without alpha; white by default.
    public var background: RGBColor

    /// The frames of an animated image to write, in a format with animations; all by default.
    public var frames: FrameSelection

    /// Whether the creator and the rights in the image's `metadata` are written: EXIF's Artist and Copyright
    /// only; false by default.
    ///
    /// JPEG, PNG, WebP and AVIF support it; other formats ignore it.
    public var keepsCopyright: Bool

    /// Whether the blocks in the image's `metadata` are written: Exif with the size of the result, XMP, and
    /// IPTC in JPEG; false by default.
    ///
    /// Without blocks the copyright is written. JPEG, PNG, WebP and AVIF support it; other formats ignore it.
    /// JPEG leaves out blocks above 64 KB.
    public var keepsMetadata: Bool

    /// Creates options; the defaults are stated at the properties.
    ///
    /// - Parameters:
    ///   - maxByteCount: The maximum size of the result in bytes.
    ///   - maxSize: The bounds of the encoded image.
    ///   - background: The colour behind translucent pixels.
    ///   - frames: The frames of an animated image to write.
    ///   - keepsCopyright: True to write the creator and the rights.
    ///   - keepsMetadata: True to write Exif, XMP and IPTC.
    public init(
        maxByteCount: Int? = nil,
        maxSize: PixelBox? = nil,
        background: RGBColor = .white,
        frames: FrameSelection = .all,
        keepsCopyright: Bool = false,
        keepsMetadata: Bool = false
    ) {
        self.maxByteCount = maxByteCount
        self.maxSize = maxSize
        self.background = background
        self.frames = frames
        self.keepsCopyright = keepsCopyright
        self.keepsMetadata = keepsMetadata
    }
}
