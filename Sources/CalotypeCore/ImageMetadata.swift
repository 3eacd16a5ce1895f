/// What an image tells about itself beside its pixels.
public struct ImageMetadata: Hashable, Sendable {
    /// The EXIF orientation that the file stated.
    public var orientation: Orientation

    /// Whether the orientation has been applied to the pixels.
    public var isOrientationApplied: Bool

    /// Whether the file held a colour profile.
    public var hasColorProfile: Bool

    /// Bytes of the file that it was decoded from; `nil` for one that was made in memory.
    public var encodedByteCount: Int?

    /// What the levels of the pixels stand for; sRGB unless a decode was told not to convert colours.
    public var colorSpace: ColorSpace

    /// Whether the file was damaged and the pixels are what could be read of it.
    ///
    /// Only a decode that is told to gives such an image (`DecodeOptions.damage`). Rows that are missing are
    /// black, or transparent.
    public var isPartial: Bool

    /// Whether the file ends before its end marker although all pixels are there.
    ///
    /// Read of JPEG. Such a file may have been cut off by a transfer, but nothing of the picture is missing.
    public var isFileTruncated: Bool

    /// Whose the picture is, as the file said; `nil` where it did not.
    ///
    /// Read of JPEG, PNG, WebP and TIFF; `EncodeOptions.keepsCopyright` writes it.
    public var copyright: Copyright?

    /// Camera, exposure, date and position, as the Exif block of the file states them; `nil` without one.
    ///
    /// Read of JPEG, PNG, WebP, AVIF, HEIC, JPEG XL and TIFF when the whole file of an original is decoded,
    /// not of the images of an incremental decoder. Variants that a store holds have none, since no encoder
    /// writes it.
    public var exif: Exif?

    /// Creates metadata; by default upright and without a profile.
    ///
    /// - Parameters:
    ///   - orientation: The orientation that the file stated.
    ///   - isOrientationApplied: Whether the pixels have been turned accordingly.
    ///   - hasColorProfile: Whether the file held a colour profile.
    ///   - encodedByteCount: Bytes of the file.
    ///   - isPartial: Whether the pixels are what could be read of a damaged file.
    ///   - isFileTruncated: Whether the file lacks its end marker, but no pixel.
    ///   - colorSpace: What the levels of the pixels stand for.
    ///   - copyright: Whose the picture is.
    ///   - exif: The fields of its Exif block.
    public init(
        orientation: Orientation = .up,
        isOrientationApplied: Bool = true,
        hasColorProfile: Bool = false,
        encodedByteCount: Int? = nil,
        isPartial: Bool = false,
        isFileTruncated: Bool = false,
        colorSpace: ColorSpace = .sRGB,
        copyright: Copyright? = nil,
        exif: Exif? = nil
    ) {
        self.orientation = orientation
        self.isOrientationApplied = isOrientationApplied
        self.hasColorProfile = hasColorProfile
        self.encodedByteCount = encodedByteCount
        self.isPartial = isPartial
        self.isFileTruncated = isFileTruncated
        self.colorSpace = colorSpace
        self.copyright = copyright
        self.exif = exif
    }
}
