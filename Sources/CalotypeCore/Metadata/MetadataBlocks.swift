public import FoundationEssentials

/// The metadata blocks of a file, as bytes: Exif, XMP and IPTC.
///
/// A block of a file has at most ``maxByteCount`` bytes; larger ones are not read. The orientation in them is
/// that of upright pixels, and the Exif has no thumbnail.
public struct MetadataBlocks: Hashable, Sendable {
    /// The maximum bytes of each block: 1 MiB.
    public static let maxByteCount = 1 << 20

    /// The TIFF block of the Exif, without the prefix of JPEG's segment; empty for none.
    public var exif: Data

    /// The XMP packet; empty for none.
    public var xmp: Data

    /// The records of IPTC-IIM; empty for none.
    public var iptc: Data

    /// Creates blocks, by default none.
    ///
    /// - Parameters:
    ///   - exif: The TIFF block of the Exif.
    ///   - xmp: The XMP packet.
    ///   - iptc: The records of IPTC-IIM.
    public init(exif: Data = Data(), xmp: Data = Data(), iptc: Data = Data()) {
        self.exif = exif
        self.xmp = xmp
        self.iptc = iptc
    }

    /// Whether there is no block.
    public var isEmpty: Bool { byteCount == 0 }

    /// The bytes of all blocks.
    public var byteCount: Int { exif.count + xmp.count + iptc.count }
}
