public import FoundationEssentials

/// What the levels of an image's pixels stand for.
///
/// An ordinary decode gives ``sRGB``; one that does not convert colours tells here which they are.
public enum ColorSpace: Hashable, Sendable {
    /// sRGB, IEC 61966-2-1.
    case sRGB

    /// The space that an ICC profile describes; the bytes of the profile.
    case icc(Data)

    /// The space that code points of ITU-T H.273 name.
    ///
    /// - Parameters:
    ///   - primaries: The colours of red, green and blue, table 2.
    ///   - transfer: How levels become light, table 3.
    case coded(primaries: Int, transfer: Int)

    /// Display P3: the colours of DCI-P3 under D65, with the curve of sRGB.
    public static let displayP3 = ColorSpace.coded(primaries: 12, transfer: 13)

    /// ITU-R BT.2100 with the perceptual quantizer: 10,000 cd/m² at the highest level.
    public static let rec2100PQ = ColorSpace.coded(primaries: 9, transfer: 16)

    /// ITU-R BT.2100 with hybrid log-gamma.
    public static let rec2100HLG = ColorSpace.coded(primaries: 9, transfer: 18)

    /// Whether the levels are those of PQ or HLG, which no ICC profile means here.
    public var isHighRange: Bool {
        guard case .coded(_, let transfer) = self else { return false }
        return transfer == 16 || transfer == 18
    }
}

extension Image {
    /// What the levels of the pixels stand for; ``ColorSpace/sRGB`` unless a decode was told not to convert.
    public var colorSpace: ColorSpace { metadata.colorSpace }
}
