import CalotypeCore
import CalotypeSupport
import FoundationEssentials

/// The orientation and the copyright in the first directory of an Exif block.
///
/// All bounds are checked, and only the offsets of the directory and of two texts are followed; invalid
/// values are ignored.
///
/// - SeeAlso: EXIF 2.32 sections 4.5 and 4.6.5, TIFF 6.0 section 2.
struct ExifFields {
    /// Tag 0x0112.
    let orientation: Orientation?
    /// Tags 0x013B and 0x8298.
    let copyright: Copyright?

    init() { (orientation, copyright) = (nil, nil) }

    /// Reads a TIFF block, with or without the prefix of JPEG's segment, which some files of other formats
    /// contain.
    init(_ block: Data) {
        guard let directory = ExifDirectory(block) else { self.init(); return }
        self.init(
            orientation: directory.orientation,
            copyright: Copyright(
                artist: directory.longText(0x013B, maxByteCount: 2 * Copyright.maxByteCount),
                notice: directory.longText(0x8298, maxByteCount: 2 * Copyright.maxByteCount)
            )
        )
    }

    private init(orientation: Orientation?, copyright: Copyright?) {
        (self.orientation, self.copyright) = (orientation, copyright)
    }
}
