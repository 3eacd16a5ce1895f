public import CalotypeCore

/// Properties of an encoded image beside its ``ImageInfo``: metadata that affect no pixel of a decode, and
/// the number of pages.
///
/// Read with `CodecRegistry.details(of:)`.
public struct ImageDetails: Hashable, Sendable {
    /// The maximum length of ``profileName`` in bytes of UTF-8.
    public static let maxNameByteCount = Exif.maxTextByteCount

    /// The fields of the Exif block; `nil` without any.
    public var exif: Exif?
    /// The stated resolution; `nil` if the file states none, or only a ratio of sides.
    public var density: PixelDensity?
    /// The description of the ICC profile, or the name of coded colours; `nil` if there is neither.
    ///
    /// For PNG, whose profile is compressed, the name in the chunk.
    public var profileName: String?
    /// The subsampling of the colour channels; `nil` for formats without it, and for inks.
    public var chromaSubsampling: ChromaSubsampling?
    /// The number of pages of a TIFF, or of images in an icon; 1 for other formats.
    ///
    /// Frames of an animation are not pages.
    public var pageCount: Int

    /// Creates details; by default one page and nothing else.
    ///
    /// - Parameters:
    ///   - exif: The fields of the Exif block.
    ///   - density: The stated resolution.
    ///   - profileName: The name of the colour profile.
    ///   - chromaSubsampling: The subsampling of the colour channels.
    ///   - pageCount: The number of pages.
    public init(
        exif: Exif? = nil,
        density: PixelDensity? = nil,
        profileName: String? = nil,
        chromaSubsampling: ChromaSubsampling? = nil,
        pageCount: Int = 1
    ) {
        self.exif = exif
        self.density = density
        self.profileName = profileName
        self.chromaSubsampling = chromaSubsampling
        self.pageCount = pageCount
    }
}

/// The resolution at which an image is meant to be printed.
public struct PixelDensity: Hashable, Sendable {
    /// Pixels per inch from left to right.
    public let horizontal: Double
    /// Pixels per inch from top to bottom.
    public let vertical: Double

    /// Creates a resolution; `nil` unless both are positive and at most a million.
    ///
    /// - Parameters:
    ///   - horizontal: Pixels per inch from left to right.
    ///   - vertical: Pixels per inch from top to bottom.
    public init?(horizontal: Double, vertical: Double) {
        // Excludes NaN as well.
        guard horizontal > 0, vertical > 0, horizontal <= 1e6, vertical <= 1e6 else { return nil }
        (self.horizontal, self.vertical) = (horizontal, vertical)
    }
}

extension PixelDensity {
    /// Creates a resolution from pixels per centimetre.
    init?(perCentimetre horizontal: Double, _ vertical: Double) {
        self.init(horizontal: horizontal * 2.54, vertical: vertical * 2.54)
    }

    /// Creates a resolution from pixels per metre, rounded to hundredths: no integer per metre is 72 or 300
    /// pixels per inch.
    init?(perMetre horizontal: UInt32, _ vertical: UInt32) {
        let rounded = [horizontal, vertical].map { (Double($0) * 2.54).rounded() / 100 }
        self.init(horizontal: rounded[0], vertical: rounded[1])
    }
}

extension ImageDetails {
    /// The ratio of the samples of brightness and of colour.
    ///
    /// - SeeAlso: ITU-T T.871 section 6.1.
    public enum ChromaSubsampling: String, Hashable, Sendable, CaseIterable {
        /// Colour at every pixel.
        case full = "4:4:4"
        /// Half of the columns.
        case halfWidth = "4:2:2"
        /// Half of the columns and half of the rows.
        case quarter = "4:2:0"
        /// Half of the rows.
        case halfHeight = "4:4:0"
        /// A quarter of the columns.
        case quarterWidth = "4:1:1"
        /// A quarter of the columns and half of the rows.
        case eighth = "4:1:0"
        /// No colour.
        case monochrome = "4:0:0"

        /// Creates a subsampling from the brightness samples for each colour sample; `nil` for unusual ones.
        init?(columns: Int, rows: Int) {
            switch (columns, rows) {
            case (1, 1): self = .full
            case (2, 1): self = .halfWidth
            case (2, 2): self = .quarter
            case (1, 2): self = .halfHeight
            case (4, 1): self = .quarterWidth
            case (4, 2): self = .eighth
            default: return nil
            }
        }
    }
}
