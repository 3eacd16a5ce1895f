import FoundationEssentials

/// The metadata of an image.
public struct ImageMetadata: Hashable, Sendable {
    /// The EXIF orientation that the file stated.
    public var orientation: Orientation

    /// Whether the orientation has been applied to the pixels.
    public var isOrientationApplied: Bool

    /// Whether the file held a colour profile.
    public var hasColorProfile: Bool

    /// The size of the decoded file in bytes; `nil` for an image created in memory.
    public var encodedByteCount: Int?

    /// The colour space of the pixels; sRGB unless the decode skipped conversion.
    public var colorSpace: ColorSpace

    /// The values mixed by resizes that are ``ResamplingLight/automatic``.
    ///
    /// Automatic too unless the decode options or the encoding of the file determine them.
    public var light: ResamplingLight

    /// Whether the file was damaged and the image is incomplete.
    ///
    /// Only a decode that allows it returns such an image (`DecodeOptions.damage`). Missing rows are black,
    /// or transparent.
    public var isPartial: Bool

    /// Whether the file lacks its end marker although all pixels are present.
    ///
    /// Read from JPEG. A transfer may have cut the file off, but the image is complete.
    public var isFileTruncated: Bool

    /// The creator and the rights, as stated in the file; `nil` if absent.
    ///
    /// Read from JPEG, PNG, WebP and TIFF; `EncodeOptions.keepsCopyright` writes it.
    public var copyright: Copyright?

    /// Camera, exposure, date and position from the file's Exif block; `nil` without one.
    ///
    /// Read from JPEG, PNG, WebP, AVIF, HEIC, JPEG XL and TIFF when the whole file of an original is decoded,
    /// not from the images of an incremental decoder. Variants in a store have none, since no encoder writes
    /// it.
    public var exif: Exif?

    /// The metadata blocks of the file; `nil` unless the decode reads them (`DecodeOptions.keepsMetadata`).
    ///
    /// `EncodeOptions.keepsMetadata` writes them.
    public var blocks: MetadataBlocks?

    /// The gain map of a JPEG; `nil` unless the decode reads it (`DecodeOptions.keepsGainMap`).
    ///
    /// A pipeline transforms it with its image, and writes it into JPEG.
    public var gainMap: GainMap?

    /// Creates metadata; by default upright and without a colour profile.
    ///
    /// - Parameters:
    ///   - orientation: The orientation stated in the file.
    ///   - isOrientationApplied: True if the pixels have been turned accordingly.
    ///   - hasColorProfile: True if the file held a colour profile.
    ///   - encodedByteCount: The size of the file in bytes.
    ///   - isPartial: True if the file was damaged and the image is incomplete.
    ///   - isFileTruncated: True if the file lacks its end marker, but no pixel.
    ///   - colorSpace: The colour space of the pixels.
    ///   - copyright: The creator and the rights.
    ///   - light: The values mixed by automatic resizes.
    ///   - exif: The fields of the file's Exif block.
    ///   - blocks: The metadata blocks of the file.
    ///   - gainMap: The gain map of the file.
    public init(
        orientation: Orientation = .up,
        isOrientationApplied: Bool = true,
        hasColorProfile: Bool = false,
        encodedByteCount: Int? = nil,
        isPartial: Bool = false,
        isFileTruncated: Bool = false,
        colorSpace: ColorSpace = .sRGB,
        copyright: Copyright? = nil,
        light: ResamplingLight = .automatic,
        exif: Exif? = nil,
        blocks: MetadataBlocks? = nil,
        gainMap: GainMap? = nil
    ) {
        self.orientation = orientation
        self.isOrientationApplied = isOrientationApplied
        self.hasColorProfile = hasColorProfile
        self.encodedByteCount = encodedByteCount
        self.isPartial = isPartial
        self.isFileTruncated = isFileTruncated
        self.colorSpace = colorSpace
        self.copyright = copyright
        self.light = light
        self.exif = exif
        self.blocks = blocks
        self.gainMap = gainMap
    }
}

extension ImageMetadata {
    /// The bytes of memory of everything whose size a file decides.
    var byteCount: Int {
        var byteCount = (blocks?.byteCount ?? 0) + (gainMap?.image.cost ?? 0)
        if case .icc(let profile) = colorSpace { byteCount += profile.count }
        if let copyright { byteCount += copyright.artist.utf8.count + copyright.notice.utf8.count }
        if let exif {
            let texts = [exif.cameraMake, exif.cameraModel, exif.lensMake, exif.lensModel, exif.software]
            byteCount += texts.reduce(0) { $0 + ($1?.utf8.count ?? 0) }
        }
        return byteCount
    }
}
